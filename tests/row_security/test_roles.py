"""Can the role that the service connects as leave the fence, and does the service really connect as it?"""

from __future__ import annotations

import psycopg
import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection
from psycopg import errors, sql
from psycopg.conninfo import conninfo_to_dict

from ahp_platform.row_security import names, roles
from tests.conftest import Connect
from tests.interaction.conversation import begin
from tests.row_security.conftest import Connection

ATTRIBUTES = """
SELECT rolname, rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb OR rolreplication, rolcanlogin
FROM pg_roles WHERE rolname IN (%s, %s)
"""


@pytest.mark.parametrize(
    "attempt",
    [
        "ALTER TABLE eventlog_event DISABLE ROW LEVEL SECURITY",
        "ALTER POLICY ahp_tenant ON eventlog_event USING (true)",
        "DROP POLICY ahp_tenant ON eventlog_event",
        "CREATE POLICY wider ON eventlog_event USING (true)",
        "ALTER TABLE auth_app_auditevent DISABLE TRIGGER append_only",
        "TRUNCATE auth_app_auditevent CASCADE",
        "DELETE FROM auth_app_auditevent",
        "DROP TABLE eventlog_event",
        "CREATE TABLE of_its_own (tenant_id bigint)",
        "DELETE FROM django_migrations",
        "ALTER ROLE CURRENT_USER BYPASSRLS",
        "SET row_security = off; SELECT FROM eventlog_event",
    ],
)
def test_it_cannot_take_the_fence_down(service_login: Connection, attempt: str) -> None:
    with pytest.raises(errors.InsufficientPrivilege):
        service_login.execute(attempt.encode())


def test_it_cannot_become_the_owner(service_login: Connection) -> None:
    (owner,) = (
        service_login.execute(
            "SELECT pg_get_userbyid(relowner) FROM pg_class WHERE relname = 'eventlog_event'"
        ).fetchone()
        or ()
    )
    with pytest.raises(errors.InsufficientPrivilege):
        service_login.execute(sql.SQL("SET ROLE {}").format(sql.Identifier(owner)))


def test_it_owns_nothing_and_may_do_nothing_to_the_cluster(service_login: Connection) -> None:
    database = connection.settings_dict["NAME"]
    application, across = names.application_role(database), names.across_role(database)
    found = service_login.execute(ATTRIBUTES, (application, across)).fetchall()
    assert set(found) == {(across, False, False), (application, False, True)}
    owned = "SELECT relname FROM pg_class WHERE pg_get_userbyid(relowner) IN (%s, %s)"
    assert service_login.execute(owned, (application, across)).fetchall() == []


def test_it_looks_across_only_where_it_says_so(service_login: Connection, alices: int, carols: int) -> None:
    seen = "SELECT tenant_id FROM eventlog_tenantclock ORDER BY 1"
    assert service_login.execute(seen).fetchall() == []
    across = sql.Identifier(names.across_role(connection.settings_dict["NAME"]))
    service_login.execute(sql.SQL("SET ROLE {}").format(across))
    assert service_login.execute(seen).fetchall() == [(alices,), (carols,)]
    service_login.execute("RESET ROLE")
    assert service_login.execute(seen).fetchall() == []


async def test_the_running_service_connects_as_it(connect: Connect, service_database: str) -> None:
    # A session has been prepared, so the Celery worker has been to the database, too.
    await begin(await connect())
    database = conninfo_to_dict(service_database)["dbname"]
    with psycopg.connect(service_database, autocommit=True) as conn:
        found = conn.execute(
            "SELECT DISTINCT usename FROM pg_stat_activity WHERE datname = %s AND pid <> pg_backend_pid()", (database,)
        ).fetchall()
    assert found == [(names.application_role(str(database)),)]


def test_who_may_make_no_roles_is_told_what_to_run(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(names, "application_role", lambda _: "somebody_new")
    with connection.cursor() as cursor:
        cursor.execute("CREATE ROLE without_rights")
        cursor.execute("SET LOCAL ROLE without_rights")
    with pytest.raises(
        roles.UnfencedError, match=r'(?s)administrator.*CREATE ROLE "somebody_new" LOGIN .*GRANT .* TO "somebody_new"'
    ):
        roles.ensure(settings.SECRET_KEY)


@pytest.mark.parametrize("attribute", ["SUPERUSER", "BYPASSRLS"])
def test_a_role_that_could_leave_the_fence_is_refused(db: None, attribute: str) -> None:
    role = sql.Identifier(names.application_role(connection.settings_dict["NAME"]))
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL("ALTER ROLE {} " + attribute).format(role).as_string(connection.connection))
    with pytest.raises(roles.UnfencedError, match="NOSUPERUSER, NOBYPASSRLS"):
        roles.ensure(settings.SECRET_KEY)


def test_prepare_runs_as_the_owner_only(db: None) -> None:
    assert settings.AHP_DATABASE_ROLE == names.APPLICATION
    with pytest.raises(CommandError, match="owner"):
        call_command("prepare")


def test_names_fit_and_stay_apart() -> None:
    long = "d" * 63
    made = {names.application_role(long), names.across_role(long), names.application_role(long[:-1] + "e")}
    assert len(made) == 3
    assert all(len(name.encode()) <= 63 for name in made)
