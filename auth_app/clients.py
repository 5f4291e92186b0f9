"""Whose is a client id?

It is the origin in everybody's echoes, so within a tenant it stays with the user who used it first. Source: PROTOCOL.md
section 13.
"""

from __future__ import annotations

from typing import NamedTuple

from ahp_platform.eventlog.pool import fetch
from ahp_platform.protocol.errors import PermissionDenied
from ahp_platform.rpc.context import Principal

# One statement, so that two sockets with a new id at the same moment cannot both become its first user.
_BIND = """
INSERT INTO auth_app_clientbinding AS bound (tenant_id, client_id, user_id, life, version, created_at, used_at)
VALUES (%(tenant)s, %(client)s, %(user)s, 1, coalesce(%(version)s, ''), now(), now())
ON CONFLICT (tenant_id, client_id) DO UPDATE SET
    life = bound.life + CASE WHEN %(version)s::text IS NULL THEN 0 ELSE 1 END,
    version = coalesce(%(version)s, bound.version), used_at = now()
WHERE bound.user_id = excluded.user_id
RETURNING life, version
"""


class Binding(NamedTuple):
    """The number of a client's life, and the protocol version it negotiated in it (empty where it never did)."""

    life: int
    version: str


async def bind_client(principal: Principal, client_id: str, version: str | None) -> Binding:
    """Bind a client id to its user: a new life with each version it negotiates, the present one (None) when it reconnects.

    Raises `PermissionDenied` where the id is another user's.
    """
    params = {"tenant": principal.tenant_id, "client": client_id, "user": principal.user_id, "version": version}
    rows = await fetch(_BIND, params)
    if not rows:
        raise PermissionDenied("This client id belongs to somebody else")
    return Binding(*rows[0])
