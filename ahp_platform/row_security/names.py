"""What are the roles of a database called, and how does a process log in as one?

Roles belong to a whole PostgreSQL cluster, so their names begin with the database's. Nothing here asks a server: the settings need it.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from typing import Any

# Values of AHP_DATABASE_ROLE.
APPLICATION, OWNER = "app", "owner"

# PostgreSQL cuts longer names off without an error.
LONGEST_NAME_BYTES = 63

# The setting of a connection that says which tenant's rows it shows.
TENANT_SETTING = "ahp.tenant"


def application_role(database: str) -> str:
    """Whom web, host and Celery processes log in as: sees the rows of one tenant at a time."""
    return _name(database, "_app")


def across_role(database: str) -> str:
    """Whom the same processes become for a statement that looks across tenants; nobody can log in as it."""
    return _name(database, "_across")


def application_password(secret_key: str, database: str) -> str:
    """Derived, so that every process with the secret key knows it and it is kept nowhere."""
    text = f"database role {application_role(database)}"
    return hmac.new(secret_key.encode(), text.encode(), hashlib.sha256).hexdigest()


def as_application(database: Mapping[str, Any], secret_key: str) -> dict[str, Any]:
    """The entry of Django's DATABASES, logging in as the application's role instead of whom it names."""
    name = database["NAME"]
    return {**database, "USER": application_role(name), "PASSWORD": application_password(secret_key, name)}


def _name(database: str, suffix: str) -> str:
    name = f"{database}{suffix}"
    if len(name.encode()) <= LONGEST_NAME_BYTES:
        return name
    digest = hashlib.sha256(database.encode()).hexdigest()[:16]
    kept = database.encode()[: LONGEST_NAME_BYTES - len(suffix) - len(digest) - 1]
    return f"{kept.decode(errors='ignore')}_{digest}{suffix}"
