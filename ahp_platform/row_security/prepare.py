"""How does a database get its fence? Roles, rights and policies, then a look whether a process gets in and stays in."""

from __future__ import annotations

import psycopg
from django.db import connection, transaction

from ahp_platform.row_security import names, policies, roles

# Two that prepare the same database at once would make the same things. Any number that nobody else uses.
_ONE_AT_A_TIME = 7_430_211_093


def ensure(secret_key: str) -> None:
    """Make what is missing, as the owner of the tables; raises `UnfencedError` with what an administrator has to do."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", (_ONE_AT_A_TIME,))
        roles.ensure(secret_key)
        policies.ensure()
        if open_tables := policies.unfenced():
            raise roles.UnfencedError(f"these hold rows of tenants and no model says so: {', '.join(open_tables)}")
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
        role, owner = names.application_role(connection.settings_dict["NAME"]), connection.settings_dict["USER"]
        raise roles.UnfencedError(
            f"the server does not let the role {role} in; its pg_hba.conf must let it log in with a password where it lets "
            f"{owner or 'the owner'} in. It said: {error}"
        ) from error
