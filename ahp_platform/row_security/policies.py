"""How does each tenant table get its policies?

Two per table: the application's role sees and writes the rows of the tenant that its connection names (none where it names none),
the role across tenants all of them. The owner of the tables is not bound: migrations are its work. A policy that is as it should be
is left alone, since changing one waits for everybody who reads the table, and everybody then waits for that.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any, NamedTuple

from django.db import connection
from psycopg import sql

from ahp_platform.row_security import names
from ahp_platform.row_security.tables import TENANT_COLUMN, TenantTable, tenant_tables

# A sub-select is evaluated once per statement, a bare function call once per row.
CURRENT_TENANT = f"(SELECT nullif(current_setting('{names.TENANT_SETTING}', true), '')::bigint)"

_FOUND = """
SELECT p.polname, p.polcmd, pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid),
    ARRAY(SELECT rolname::text FROM pg_roles WHERE oid = ANY(p.polroles)), obj_description(p.oid, 'pg_policy')
FROM pg_policy p WHERE p.polrelid = %s::regclass
"""
_IS_ENABLED = "SELECT relrowsecurity FROM pg_class WHERE oid = %s::regclass"


# What says by its columns that it belongs to tenants, whatever the models say.
_UNFENCED = """
SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND NOT a.attisdropped
WHERE c.relnamespace = current_schema()::regnamespace AND a.attname = %s AND CASE
    WHEN c.relkind IN ('r', 'p') THEN NOT (c.relrowsecurity AND EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid))
    -- A view shows what its owner may see, unless it is told to show what the asking role may.
    WHEN c.relkind = 'v' THEN 'security_invoker=true' <> ALL (coalesce(c.reloptions, '{}'))
    ELSE c.relkind IN ('m', 'f')
END ORDER BY 1
"""


class Policy(NamedTuple):
    """A policy of ours as it is made. `condition` is what must hold of a row, read or written."""

    name: str
    command: str
    role: str
    condition: str


def ensure() -> list[str]:
    """Make what is missing or has been altered, as the owner of the tables; the tables that were touched."""
    return [table.name for table in tenant_tables() if _ensure(table)]


def unfenced() -> list[str]:
    """Tables that hold rows of tenants and have no policies, and views that go around them."""
    with connection.cursor() as cursor:
        cursor.execute(_UNFENCED, (TENANT_COLUMN,))
        return [name for (name,) in cursor.fetchall()]


def policies_of(table: TenantTable, database: str) -> Iterator[Policy]:
    """What stands on a table."""
    application, across = names.application_role(database), names.across_role(database)
    yield Policy("ahp_tenant", "ALL", application, f'"{table.column}" = {CURRENT_TENANT}')
    if table.shows_rows_without_tenant:
        yield Policy("ahp_everybody", "SELECT", application, f'"{table.column}" IS NULL')
    yield Policy("ahp_across", "ALL", across, "true")


def _ensure(table: TenantTable) -> bool:
    wanted = list(policies_of(table, connection.settings_dict["NAME"]))
    with connection.cursor() as cursor:
        cursor.execute(_IS_ENABLED, (_quoted(table.name),))
        enabled = cursor.fetchone() == (True,)
        found = _found(cursor, table)
        if enabled and all(_is_as_made(policy, found.get(policy.name)) for policy in wanted):
            return False
        name = sql.Identifier(table.name)
        cursor.execute(_text(sql.SQL("ALTER TABLE {} ENABLE ROW LEVEL SECURITY").format(name)))
        for policy in wanted:
            _make(cursor, name, policy)
        # Noted as the server understands it, so that whoever alters a policy by hand is found out.
        found = _found(cursor, table)
        for policy in wanted:
            comment = sql.Literal(_seal(policy, found[policy.name]))
            told = sql.SQL("COMMENT ON POLICY {} ON {} IS {}").format(sql.Identifier(policy.name), name, comment)
            cursor.execute(_text(told))
    return True


def _make(cursor: Any, table: sql.Identifier, policy: Policy) -> None:
    name = sql.Identifier(policy.name)
    cursor.execute(_text(sql.SQL("DROP POLICY IF EXISTS {} ON {}").format(name, table)))
    text = f"CREATE POLICY {{}} ON {{}} FOR {policy.command} TO {{}} USING ({policy.condition})"
    cursor.execute(_text(sql.SQL(text).format(name, table, sql.Identifier(policy.role))))


def _found(cursor: Any, table: TenantTable) -> dict[str, tuple[Any, ...]]:
    cursor.execute(_FOUND, (_quoted(table.name),))
    return {name: tuple(rest) for name, *rest in cursor.fetchall()}


def _is_as_made(policy: Policy, found: tuple[Any, ...] | None) -> bool:
    return found is not None and found[-1] == _seal(policy, found)


def _seal(policy: Policy, found: tuple[Any, ...]) -> str:
    return f"made by prepare: {hashlib.sha256(repr((policy, found[:-1])).encode()).hexdigest()}"


def _quoted(table: str) -> str:
    return f'"{table}"'


def _text(statement: sql.Composed) -> str:
    return statement.as_string(connection.connection)
