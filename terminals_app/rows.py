"""Which statements keep the row of a terminal in step with its channel?

Each builds (statement, params) for `View.sql`.
"""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

Statement = tuple[str, Sequence[object]]

_OPENED = """
INSERT INTO terminals_app_terminal (tenant_id, uri, session, user_id, plan, marker, state, created_at, fence)
VALUES (%s, %s, %s, %s, %s, %s, 'waiting', now(), 0)
"""
_EXITED = """
UPDATE terminals_app_terminal SET state = 'exited', host = NULL, lease_until = NULL WHERE tenant_id = %s AND uri = %s
"""
_CLOSED = "DELETE FROM terminals_app_terminal WHERE tenant_id = %s AND uri = %s"

_HELD_BY_CLIENT = """
UPDATE terminals_app_terminal SET session = %s, user_id = coalesce(
    (SELECT user_id FROM auth_app_clientbinding WHERE tenant_id = %s AND client_id = %s), user_id)
WHERE tenant_id = %s AND uri = %s
"""
_HELD_BY_SESSION = "UPDATE terminals_app_terminal SET session = %s WHERE tenant_id = %s AND uri = %s"


def opened(tenant_id: int, uri: str, session: str | None, user_id: int | None, what: tuple[str, UUID]) -> Statement:
    """With the channel's birth: the row that hosts will claim; `what` is the plan as JSON and the marker."""
    return _OPENED, (tenant_id, uri, session, user_id, *what)


def exited(tenant_id: int, uri: str) -> Statement:
    """With `terminal/exited`."""
    return _EXITED, (tenant_id, uri)


def closed(tenant_id: int, uri: str) -> Statement:
    """With the channel's end."""
    return _CLOSED, (tenant_id, uri)


def held_by_client(tenant_id: int, uri: str, client_id: str, parent: str | None) -> Statement:
    """A client holds it now; it still ends with the session that it belongs to, if any."""
    return _HELD_BY_CLIENT, (parent, tenant_id, client_id.replace("\x00", ""), tenant_id, uri)


def held_by_session(tenant_id: int, uri: str, session: str) -> Statement:
    """A session holds it now, and it ends with it."""
    return _HELD_BY_SESSION, (session, tenant_id, uri)
