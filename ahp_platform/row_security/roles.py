"""How do the two roles of a database come about, and what may they do?

Made by `manage.py prepare`, as whoever owns the tables. Neither role owns anything, is a superuser or may bypass row-level
security; the application inherits nothing, so that it looks across tenants only where it says `SET ROLE`.
"""

from __future__ import annotations

import json

import psycopg
from django.db import connection
from psycopg import sql

from ahp_platform.db import connection_params
from ahp_platform.row_security import names, tables

_ROLES = """
SELECT rolname, rolsuper, rolbypassrls, rolcanlogin, rolinherit FROM pg_roles WHERE rolname IN (%s, %s)
"""
_MAY_MAKE = "SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user"
_MEMBERS = """
SELECT to_jsonb(m)::text FROM pg_auth_members m JOIN pg_roles r ON r.oid = m.roleid JOIN pg_roles a ON a.oid = m.member
WHERE r.rolname = %s AND a.rolname = %s
"""
# From 16 on, a membership itself says whether it is inherited; before, the member did.
_MEMBERSHIP_OPTIONS_SINCE = 160_000


class UnfencedError(Exception):
    """The fence cannot be made; the message says why, and what an administrator has to do."""


def ensure(secret_key: str) -> None:
    """Make what is missing and grant it what it needs, in the caller's transaction; may be run again."""
    database = connection.settings_dict["NAME"]
    application, across = names.application_role(database), names.across_role(database)
    statements = _missing(application, across, _verifier(secret_key))
    if statements:
        _require_may_make(statements)
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(_text(statement))
    _require_harmless(application, across)
    _grant(database, application, across)


def set_password(secret_key: str) -> None:
    """Let the application's role log in with the password that its processes derive from this key."""
    database = connection.settings_dict["NAME"]
    role = sql.Identifier(names.application_role(database))
    statement = sql.SQL("ALTER ROLE {} PASSWORD {}").format(role, _verifier(secret_key))
    _require_may_make([statement])
    with connection.cursor() as cursor:
        cursor.execute(_text(statement))


def try_login(secret_key: str) -> None:
    """Log in as the processes will and look whether the fence stands; raises psycopg's errors and `UnfencedError`."""
    database = names.as_application(connection.settings_dict, secret_key)
    given = {**connection_params(), "user": database["USER"], "password": database["PASSWORD"]}
    with psycopg.connect(**given, autocommit=True) as conn:
        fenced = conn.execute("SELECT row_security_active('eventlog_event')").fetchone()
        conn.execute(sql.SQL("SET ROLE {}").format(sql.Identifier(names.across_role(database["NAME"]))))
    if fenced != (True,):
        raise UnfencedError(f"row-level security does not hold for the role {database['USER']}")


def drop(database: str) -> list[sql.Composed]:
    """What removes the roles of a database that has been dropped."""
    both = names.application_role(database), names.across_role(database)
    return [sql.SQL("DROP ROLE IF EXISTS {}").format(sql.Identifier(role)) for role in both]


def _verifier(secret_key: str) -> sql.Literal:
    """The application's password as the server keeps it. Hashed here: the server may write statements into its log."""
    database = connection.settings_dict["NAME"]
    role, password = names.application_role(database), names.application_password(secret_key, database)
    connection.ensure_connection()
    return sql.Literal(
        connection.connection.pgconn.encrypt_password(password.encode(), role.encode(), b"scram-sha-256").decode()
    )


def _missing(application: str, across: str, verifier: sql.Literal) -> list[sql.Composed]:
    with connection.cursor() as cursor:
        cursor.execute(_ROLES, (application, across))
        there = {row[0] for row in cursor.fetchall()}
        cursor.execute(_MEMBERS, (across, application))
        memberships = [row[0] for row in cursor.fetchall()]
    nothing = "NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS NOREPLICATION NOINHERIT"
    wanted = {
        across: f"CREATE ROLE {{}} NOLOGIN {nothing}",
        application: f"CREATE ROLE {{}} LOGIN {nothing} PASSWORD {{}}",
    }
    made = [sql.SQL(text).format(sql.Identifier(role), verifier) for role, text in wanted.items() if role not in there]
    if not any(_sets_only(membership) for membership in memberships):
        options = " WITH INHERIT FALSE, SET TRUE" if _has_membership_options() else ""
        granted = sql.SQL("GRANT {} TO {}" + options)
        made.append(granted.format(sql.Identifier(across), sql.Identifier(application)))
    return made


def _sets_only(membership: str) -> bool:
    found = json.loads(membership)
    return not found.get("inherit_option", False) and bool(found.get("set_option", True))


def _has_membership_options() -> bool:
    connection.ensure_connection()
    return int(connection.connection.info.server_version) >= _MEMBERSHIP_OPTIONS_SINCE


def _require_may_make(statements: list[sql.Composed]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(_MAY_MAKE)
        ((may,),) = cursor.fetchall()
    if not may:
        by_hand = "\n".join(f"  {_text(statement)};" for statement in statements)
        raise UnfencedError(
            f"{connection.settings_dict['USER']} may not make the roles that the service connects as. "
            f"Let an administrator of the server run this, then run prepare again:\n{by_hand}"
        )


def _require_harmless(application: str, across: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(_ROLES, (application, across))
        for role, superuser, bypasses, _, inherits in cursor.fetchall():
            if superuser or bypasses or (inherits and not _has_membership_options()):
                raise UnfencedError(
                    f"the role {role} must be NOSUPERUSER, NOBYPASSRLS and NOINHERIT: let an administrator alter it"
                )


def _grant(database: str, application: str, across: str) -> None:
    roles = sql.Identifier(application), sql.Identifier(across)
    both = sql.SQL(", ").join(roles)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT current_schema(), has_database_privilege(%s, current_database(), 'CONNECT')", (application,)
        )
        schema, may_connect = cursor.fetchone()
        if not may_connect:
            cursor.execute(_text(sql.SQL("GRANT CONNECT ON DATABASE {} TO {}").format(sql.Identifier(database), both)))
        cursor.execute("SELECT has_schema_privilege(%s, %s, 'USAGE')", (application, schema))
        if cursor.fetchone() != (True,):
            cursor.execute(_text(sql.SQL("GRANT USAGE ON SCHEMA {} TO {}").format(sql.Identifier(schema), both)))
        for table in tables.all_tables():
            name = sql.Identifier(table)
            cursor.execute(_text(sql.SQL("REVOKE ALL ON {} FROM {}").format(name, both)))
            for role, privileges in zip(roles, tables.allowed(table), strict=True):
                cursor.execute(_text(sql.SQL("GRANT " + privileges + " ON {} TO {}").format(name, role)))


def _text(statement: sql.Composed) -> str:
    return statement.as_string(connection.connection)
