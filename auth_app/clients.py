"""Whose is a client id?

It is the origin in everybody's echoes, so within a tenant it stays with the user who used it first. Source: PROTOCOL.md
section 13.
"""

from __future__ import annotations

from ahp_platform.eventlog.pool import fetch
from ahp_platform.protocol.errors import PermissionDenied
from ahp_platform.rpc.context import Principal

# One statement, so that two sockets with a new id at the same moment cannot both become its first user.
_BIND = """
INSERT INTO auth_app_clientbinding AS bound (tenant_id, client_id, user_id, life, created_at, used_at)
VALUES (%s, %s, %s, 1, now(), now())
ON CONFLICT (tenant_id, client_id) DO UPDATE SET life = bound.life + %s, used_at = now()
WHERE bound.user_id = excluded.user_id
RETURNING life
"""


async def bind_client(principal: Principal, client_id: str, fresh: bool) -> int:
    """The number of the client's life: a new one with each `fresh` introduction, the present one when it reconnects.

    Raises `PermissionDenied` where the id is another user's.
    """
    rows = await fetch(_BIND, (principal.tenant_id, client_id, principal.user_id, int(fresh)))
    if not rows:
        raise PermissionDenied("This client id belongs to somebody else")
    life: int = rows[0][0]
    return life
