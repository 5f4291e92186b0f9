"""Is every table of a tenant fenced, for reading and for writing? Found by looking at the tables themselves."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from django.db import connection
from psycopg import errors

from ahp_platform.db import connection_params
from ahp_platform.row_security import names, policies, tables
from ahp_platform.row_security.tables import TenantTable
from ahp_platform.tenancy import tenant_scope
from auth_app.models import Quota
from tests.row_security.conftest import Connection

OURS, THEIRS = 2_000_000_001, 2_000_000_002
TABLES = tables.tenant_tables()
each_table = pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)

# A value of each type that columns of ours have.
VALUES = {
    "bool": "true", "bytea": "''::bytea", "float8": "1", "int2": "1", "int4": "1", "int8": "1", "interval": "'1 day'",
    "jsonb": "'{}'::jsonb", "text": "'x'", "timestamptz": "now()", "uuid": "gen_random_uuid()", "varchar": "'x'",
}  # fmt: skip
COLUMNS = """
SELECT column_name, udt_name FROM information_schema.columns
WHERE table_schema = current_schema() AND table_name = %s AND is_nullable = 'NO' AND is_identity = 'NO'
"""


class Rows:
    """One table, with a row of ours in a transaction that is never committed: foreign keys are looked at in the end only."""

    def __init__(self, table: TenantTable, conn: Connection) -> None:
        self._table, self._conn = table, conn
        self._name, self._is_ours = f'"{table.name}"', f'"{table.column}" = {OURS}'

    def insert(self, tenant: int) -> None:
        found = self._conn.execute(COLUMNS, (self._table.name,)).fetchall()
        values = {name: "'{}'" if kind.startswith("_") else VALUES[kind] for name, kind in found}
        values[self._table.column] = str(tenant)
        columns = ", ".join(f'"{name}"' for name in values)
        self._do(f"INSERT INTO {self._name} ({columns}) VALUES ({', '.join(values.values())})")

    def act_as(self, role: str, tenant: int | None) -> None:
        shown = "" if tenant is None else str(tenant)
        self._conn.execute("SELECT set_config('role', %s, true), set_config('ahp.tenant', %s, true)", (role, shown))

    def seen(self) -> int:
        return self._do(f"SELECT FROM {self._name} WHERE {self._is_ours}")

    def changed(self) -> int:
        return self._reached(f'UPDATE {self._name} SET "{self._table.column}" = "{self._table.column}"')

    def deleted(self) -> int:
        return self._reached(f"DELETE FROM {self._name}")

    def give_away(self) -> None:
        self._do(f'UPDATE {self._name} SET "{self._table.column}" = {THEIRS} WHERE {self._is_ours}')

    def _reached(self, statement: str) -> int:
        """How many rows of ours a statement reaches that its role may run at all; it is undone."""
        try:
            with self._conn.transaction(force_rollback=True):
                return self._do(f"{statement} WHERE {self._is_ours}")
        except errors.InsufficientPrivilege:
            return 0

    def _do(self, statement: str) -> int:
        with self._conn.transaction():
            return self._conn.execute(statement.encode()).rowcount


@pytest.fixture
def rows(table: TenantTable, db: None) -> Iterator[Rows]:
    with psycopg.connect(**connection_params(), autocommit=True) as conn, conn.transaction(force_rollback=True):
        made = Rows(table, conn)
        made.insert(OURS)
        yield made


def application() -> str:
    return names.application_role(connection.settings_dict["NAME"])


def across() -> str:
    return names.across_role(connection.settings_dict["NAME"])


@each_table
def test_nobody_and_another_tenant_see_no_row_and_reach_none(rows: Rows) -> None:
    for tenant in (None, THEIRS):
        rows.act_as(application(), tenant)
        assert (rows.seen(), rows.changed(), rows.deleted()) == (0, 0, 0)


@each_table
def test_a_row_for_somebody_else_is_refused(rows: Rows, table: TenantTable) -> None:
    for tenant in (None, THEIRS):
        rows.act_as(application(), tenant)
        with pytest.raises(errors.InsufficientPrivilege, match="row-level security"):
            rows.insert(OURS)


@each_table
def test_the_tenant_sees_its_row_and_cannot_give_it_away(rows: Rows) -> None:
    rows.act_as(application(), OURS)
    assert rows.seen() == 1
    with pytest.raises(errors.InsufficientPrivilege):
        rows.give_away()


@each_table
def test_who_looks_across_sees_the_row(rows: Rows) -> None:
    rows.act_as(across(), None)
    assert rows.seen() == 1


def test_the_models_name_every_table_with_a_tenant(db: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT table_name FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name) "
            "WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' AND column_name = %s",
            (tables.TENANT_COLUMN,),
        )
        found = {name for (name,) in cursor.fetchall()}
    assert found
    assert {table.name for table in TABLES} == {*found, "auth_app_tenant"}
    assert policies.unfenced() == []


def test_a_new_table_with_a_tenant_and_without_policies_is_found(db: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE forgotten (tenant_id bigint)")
        assert policies.unfenced() == ["forgotten"]
        cursor.execute("ALTER TABLE forgotten ENABLE ROW LEVEL SECURITY")
        assert policies.unfenced() == ["forgotten"]


def test_a_view_that_goes_around_the_policies_is_found(db: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute("CREATE VIEW around AS SELECT tenant_id FROM eventlog_event")
        assert policies.unfenced() == ["around"]
        cursor.execute("ALTER VIEW around SET (security_invoker = true)")
        assert policies.unfenced() == []


def test_what_holds_for_everybody_is_read_by_everybody_and_written_by_operators(db: None) -> None:
    Quota.objects.create(sessions=7)
    with tenant_scope(THEIRS), connection.cursor() as cursor:
        cursor.execute("SELECT sessions FROM auth_app_quota")
        assert cursor.fetchall() == [(7,)]
        cursor.execute("UPDATE auth_app_quota SET sessions = 1000000")
        assert cursor.rowcount == 0


def test_policies_that_stand_are_left_alone_and_altered_ones_are_made_again(db: None) -> None:
    assert policies.ensure() == []
    with connection.cursor() as cursor:
        cursor.execute("ALTER POLICY ahp_tenant ON eventlog_event USING (true)")
        cursor.execute("ALTER TABLE eventlog_channel DISABLE ROW LEVEL SECURITY")
        cursor.execute("DROP POLICY ahp_across ON eventlog_segment")
    assert policies.ensure() == ["eventlog_channel", "eventlog_event", "eventlog_segment"]
    assert policies.ensure() == []
