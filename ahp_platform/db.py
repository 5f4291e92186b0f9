"""How does a database URL become Django's DATABASES entry, and that entry a connection of our own?"""

from __future__ import annotations

from typing import Any

from django.db import connection
from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict

from ahp_platform.env import BadEnvironmentError


def database_from_url(url: str) -> dict[str, Any]:
    """Anything that libpq understands: a URL with host or socket folder, or `key=value` pairs; what Django does not name is an option."""
    try:
        given = conninfo_to_dict(url)
    except ProgrammingError as error:
        raise BadEnvironmentError("DATABASE_URL is no PostgreSQL connection string") from error
    named = {
        "NAME": given.pop("dbname", None) or "ahp",
        "USER": given.pop("user", None) or "",
        "PASSWORD": given.pop("password", None) or "",
        "HOST": given.pop("host", None) or "",
        "PORT": str(given.pop("port", None) or ""),
    }
    return {"ENGINE": "django.db.backends.postgresql", **named, "OPTIONS": {"connect_timeout": 5, **given}}


def connection_params() -> dict[str, Any]:
    """What `psycopg.connect` needs for the default database, without what only the ORM understands."""
    params = connection.get_connection_params()
    orm_only = ("cursor_factory", "context", "prepare_threshold", "server_side_binding")
    return {name: value for name, value in params.items() if name not in orm_only}
