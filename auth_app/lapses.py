"""Whose token for a protected resource has just ended?

Looked at together with the principals of this process's sockets, once a second: a token that was there and is not (expired,
revoked, or its key retired from the table) is a lapse of which its user's clients are told. Source: PROTOCOL.md section 13.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from ahp_platform.eventlog.pool import fetch_across
from ahp_platform.rpc.context import Principal

_HELD = """
SELECT tenant_id, user_id, resource FROM auth_app_resourcegrant
WHERE tenant_id = ANY(%s) AND user_id = ANY(%s) AND (expires_at IS NULL OR expires_at > now())
"""


class Lapse(NamedTuple):
    """A user of a tenant has no valid token for the resource any more."""

    tenant_id: int
    user_id: int
    resource: str


class Lapses:
    """What the users of the open sockets had when we last looked."""

    def __init__(self) -> None:
        self._seen: set[Lapse] = set()

    async def since_last_time(self, principals: Collection[Principal]) -> set[Lapse]:
        """The tokens that have ended meanwhile, of users who are still here."""
        here = {(p.tenant_id, p.user_id) for p in principals}
        tenants, users = {tenant for tenant, _ in here}, {user for _, user in here}
        rows = await fetch_across(_HELD, (list(tenants), list(users))) if here else []
        now = {Lapse(*row) for row in rows}
        ended = {lapse for lapse in self._seen - now if (lapse.tenant_id, lapse.user_id) in here}
        self._seen = {lapse for lapse in now if (lapse.tenant_id, lapse.user_id) in here}
        return ended
