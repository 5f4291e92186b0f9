"""Who opens this socket, and are those who did still who they were?

Everything is decided before the upgrade. 401: no valid credential for this host; 403: a valid one, but not for this
tenant, which looks the same whether the tenant exists or not. Source: PROTOCOL.md sections 13 and 16.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any
from urllib.parse import parse_qs

from django.conf import settings
from django.http import parse_cookie

from ahp_platform.eventlog.gathered import Gathered
from ahp_platform.eventlog.pool import fetch_across
from ahp_platform.rpc.context import Ended
from auth_app import credentials, origins
from auth_app.credentials import Held
from auth_app.policy import scopes_of
from auth_app.principal import Principal
from auth_app.resources import here, socket_resource

SUBPROTOCOL = "ahp"
BEARER_SUBPROTOCOL = "ahp.bearer."

_BY_SLUG = """
SELECT t.slug, m.user_id, t.id, m.role FROM auth_app_tenant t JOIN auth_app_membership m ON m.tenant_id = t.id
WHERE t.slug = ANY(%s) AND t.is_active AND m.user_id = ANY(%s)
"""
_STILL_MEMBERS = """
SELECT m.tenant_id, m.user_id, m.role FROM auth_app_membership m JOIN auth_app_tenant t ON t.id = m.tenant_id
JOIN auth_user u ON u.id = m.user_id
WHERE t.is_active AND u.is_active AND m.tenant_id = ANY(%s) AND m.user_id = ANY(%s)
"""


# A new token does not help somebody without rights here; it helps whose token has ended.
NO_RIGHTS = Ended(4403, "you may not be here any more")
NO_CREDENTIAL = Ended(4401, "the credential has ended")


class HandshakeRefused(Exception):
    """The upgrade is refused with this HTTP status; the reason is for our log and holds nothing secret."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(f"{status}: {reason}")
        self.status = status
        self.reason = reason


async def authenticate_socket(scope: Mapping[str, Any]) -> Principal:
    """The principal of a socket's ASGI scope; raises `HandshakeRefused` and the database's own errors."""
    slug: str = scope["url_route"]["kwargs"]["tenant"]
    headers = _headers(scope)
    held = await _shown(scope, headers)
    if held is None:
        raise HandshakeRefused(401, "no valid credential")
    if held.resources and socket_resource(slug) not in held.resources:
        raise HandshakeRefused(401, "a token for another resource")
    place = await _place((slug, held.user_id))
    if place is None or held.tenant_id not in (None, place[0]):
        raise HandshakeRefused(403, "not for this tenant")
    tenant_id, role = place
    address = str((scope.get("client") or ("",))[0])
    return _principal(held, tenant_id, slug, role, address)


async def _places(asked: Sequence[tuple[str, int]]) -> dict[tuple[str, int], tuple[int, str]]:
    """Tenant and role by the tenant's slug and a user."""
    slugs, users = {slug for slug, _ in asked}, {user for _, user in asked}
    rows = await fetch_across(_BY_SLUG, (list(slugs), list(users)))
    return {(slug, user): (tenant_id, role) for slug, user, tenant_id, role in rows}


_place = Gathered(_places)


def accepted_subprotocol(scope: Mapping[str, Any]) -> str | None:
    """The subprotocol to accept: `ahp`, also for one that only brought a token; None where none of ours was offered."""
    offered = scope.get("subprotocols", ())
    return SUBPROTOCOL if any(p == SUBPROTOCOL or p.startswith(BEARER_SUBPROTOCOL) for p in offered) else None


def bearer_challenge(scope: Mapping[str, Any]) -> str:
    """What a refused client is told: where it reads how to get a token (RFC 9728, section 5.1)."""
    slug = scope["url_route"]["kwargs"]["tenant"]
    return f'Bearer resource_metadata="{here()}/.well-known/oauth-protected-resource/ahp/{slug}"'


async def still_valid(principals: Collection[Principal]) -> dict[Principal, Principal | Ended]:
    """Each principal as they are now, or how it has ended: by the credential, or by the user, the tenant or the membership."""
    if not principals:
        return {}
    held = await credentials.alive(p.credential for p in principals)
    tenants, users = {p.tenant_id for p in principals}, {p.user_id for p in principals}
    members = await fetch_across(_STILL_MEMBERS, (list(tenants), list(users)))
    roles = {(tenant, user): role for tenant, user, role in members}
    now: dict[Principal, Principal | Ended] = {}
    for principal in principals:
        credential, role = held.get(principal.credential), roles.get((principal.tenant_id, principal.user_id))
        if role is None:
            now[principal] = NO_RIGHTS
        elif credential is None:
            now[principal] = NO_CREDENTIAL
        else:
            where = principal.tenant_id, principal.tenant_slug
            now[principal] = _principal(credential, *where, role, principal.address)
    return now


def _principal(held: Held, tenant_id: int, slug: str, role: Any, address: str) -> Principal:
    return Principal(
        tenant_id=tenant_id,
        tenant_slug=slug,
        user_id=held.user_id,
        username=held.username,
        role=role,
        scopes=scopes_of(role, held.scopes),
        expires_at=held.expires_at.timestamp(),
        credential=held.credential,
        address=address,
    )


async def _shown(scope: Mapping[str, Any], headers: Mapping[str, str]) -> Held | None:
    """What the credential is good for that came along; a token goes before the cookie."""
    origin, host = headers.get("origin"), headers.get("host", "")
    token = _token(scope, headers)
    if token is not None:
        if not origins.allows_token(origin, host):
            raise HandshakeRefused(403, "tokens are not taken from that origin")
        return await credentials.of_token(token)
    session_key = parse_cookie(headers.get("cookie", "")).get(settings.SESSION_COOKIE_NAME)
    if not session_key:
        return None
    # Before the lookup: a foreign page must not learn whether its visitor is logged in here.
    if not origins.allows_cookie(origin, host):
        raise HandshakeRefused(403, "the cookie is not taken from that origin")
    return await credentials.of_session(session_key)


def _token(scope: Mapping[str, Any], headers: Mapping[str, str]) -> str | None:
    scheme, _, token = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return token.strip()
    for offered in scope.get("subprotocols", ()):
        if offered.startswith(BEARER_SUBPROTOCOL):
            return str(offered.removeprefix(BEARER_SUBPROTOCOL))
    query: bytes = scope.get("query_string", b"")
    in_url = parse_qs(query.decode("latin-1"), keep_blank_values=True).get("tkn")
    return in_url[0] if in_url else None


def _headers(scope: Mapping[str, Any]) -> dict[str, str]:
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
