"""How does a database get its fence? Roles, rights and policies, then a look whether a process gets in and stays in."""

from __future__ import annotations

import psycopg
from django.db import connection, transaction

from ahp_platform.row_security import names, policies, roles

# Two that prepare the same database at once would make the same things. Any number that nobody else uses.
_ONE_AT_A_TIME = 7_430_211_093


def ensure(secret_key: str) -> None:
    """Make what is missing, as the owner of the tables; raises `RolesMissingError` with what an administrator has to do."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", (_ONE_AT_A_TIME,))
        roles.ensure()
        policies.ensure()
    try:
        roles.try_login(secret_key)
    except psycopg.OperationalError:
        # The first time, or the secret key has changed.
        roles.set_password(secret_key)
        _login(secret_key)


def _login(secret_key: str) -> None:
    try:
        roles.try_login(secret_key)
    except psycopg.OperationalError as error:
        role = names.application_role(connection.settings_dict["NAME"])
        raise roles.RolesMissingError(
            f"the role {role} was made, but the server does not let it in; its pg_hba.conf must let it log in with a "
            f"password as it lets {connection.settings_dict['USER'] or 'the owner'} in ({type(error).__name__})"
        ) from error
