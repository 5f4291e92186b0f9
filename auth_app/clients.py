"""Whose is a client id?

It is the origin in everybody's echoes, so within a tenant it stays with the user who used it first. Source: PROTOCOL.md
section 13.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ahp_platform.eventlog.gathered import Gathered
from ahp_platform.eventlog.pool import fetch, fetch_across
from ahp_platform.protocol.errors import PermissionDenied
from ahp_platform.rpc.context import Principal
from auth_app.models import LOCALE_LENGTH

# One statement, so that two sockets with a new id at the same moment cannot both become its first user.
_BIND = """
INSERT INTO auth_app_clientbinding AS bound (tenant_id, client_id, user_id, life, version, locale, created_at, used_at)
VALUES (%(tenant)s, %(client)s, %(user)s, 1, coalesce(%(version)s, ''), %(locale)s, now(), now())
ON CONFLICT (tenant_id, client_id) DO UPDATE SET
    life = bound.life + CASE WHEN %(version)s::text IS NULL THEN 0 ELSE 1 END,
    version = coalesce(%(version)s, bound.version),
    locale = coalesce(nullif(%(locale)s, ''), bound.locale), used_at = now()
WHERE bound.user_id = excluded.user_id
RETURNING life, version
"""


_LOCALE = """
SELECT locale FROM auth_app_clientbinding WHERE tenant_id = %s AND user_id = %s AND locale <> '' ORDER BY used_at DESC LIMIT 1
"""


_BOUND = """
SELECT tenant_id, client_id, user_id, life, version FROM auth_app_clientbinding
WHERE (tenant_id, client_id) IN (SELECT * FROM unnest(%s::int8[], %s::text[]))
"""


class Binding(NamedTuple):
    """The number of a client's life, and the protocol version it negotiated in it (empty where it never did)."""

    life: int
    version: str


async def _bindings(asked: Sequence[tuple[int, str]]) -> dict[tuple[int, str], tuple[int, Binding]]:
    """The user and the binding of each client id in its tenant."""
    rows = await fetch_across(_BOUND, ([tenant for tenant, _ in asked], [client for _, client in asked]))
    return {(tenant, client): (user, Binding(life, version)) for tenant, client, user, life, version in rows}


_bound = Gathered(_bindings)


async def bind_client(principal: Principal, client_id: str, version: str | None, locale: str = "") -> Binding:
    """Bind a client id to its user: a new life with each version it negotiates, the present one (None) when it reconnects.

    Raises `PermissionDenied` where the id is another user's.
    """
    if version is None:
        # Reconnecting changes nothing: in a storm, a read each is a commit each saved.
        bound = await _bound((principal.tenant_id, client_id))
        if bound is not None and bound[0] == principal.user_id:
            return bound[1]
    params = {"tenant": principal.tenant_id, "client": client_id, "user": principal.user_id, "version": version}
    params["locale"] = locale[:LOCALE_LENGTH]
    rows = await fetch(_BIND, params, tenant=principal.tenant_id)
    if not rows:
        raise PermissionDenied("This client id belongs to somebody else")
    return Binding(*rows[0])


async def locale_of(tenant_id: int, user_id: int | None) -> str:
    """The language that the user's latest client asked for; English where none did."""
    rows = await fetch(_LOCALE, (tenant_id, user_id), tenant=tenant_id)
    return rows[0][0] if rows else "en"
