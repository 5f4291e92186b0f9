"""Which tokens for protected resources has a user given us?

Kept per (tenant, user, resource), encrypted with a key derived from SECRET_KEY, and read also with those derived from
SECRET_KEY_FALLBACKS: an old key goes there when it is replaced. They go to that user's turns and nowhere else, never
into a log, a state or an error. Resources are compared character by character. Source: PROTOCOL.md section 13.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from ahp_platform.eventlog.pool import fetch
from ahp_platform.protocol.errors import AuthRequired
from ahp_platform.rpc.context import Principal
from ahp_platform.secrets_box import SecretsBox
from auth_app import credentials, jwks
from auth_app.credentials import TOKEN, Held
from auth_app.resources import is_ours as on_this_host

Resource = Mapping[str, Any]
# Some servers' tokens hold a whole person; none holds a book.
MAX_TOKEN_LENGTH = 32 * 1024
_BOX = SecretsBox("ahp_platform resource grants")

_STORE = """
INSERT INTO auth_app_resourcegrant
    (tenant_id, user_id, resource, token, access_token_id, scopes, expires_at, stored_at)
VALUES (%s, %s, %s, %s, %s, %s, %s, now())
ON CONFLICT (tenant_id, user_id, resource) DO UPDATE SET
    token = excluded.token, access_token_id = excluded.access_token_id, scopes = excluded.scopes,
    expires_at = excluded.expires_at, stored_at = now()
RETURNING id
"""
_VALID = """
SELECT resource, token FROM auth_app_resourcegrant
WHERE tenant_id = %s AND user_id = %s AND resource = ANY(%s) AND (expires_at IS NULL OR expires_at > now())
"""


async def accept(principal: Principal, resource: Resource, token: str, scopes: Sequence[str]) -> None:
    """Judge a token as far as we can and keep it; raises `AuthRequired` where it is not good for the resource.

    Those of our own authorization server are judged in full, those of servers that publish their keys by these; others are
    opaque to us.
    """
    token_id, expires = None, None
    if is_ours(resource):
        held = await _own(principal, resource, token, scopes)
        token_id, expires = int(held.credential.removeprefix(TOKEN)), held.expires_at
    elif "jwks_uri" in resource:
        expires = await _foreign(resource, token)
    elif not 0 < len(token) <= MAX_TOKEN_LENGTH:
        raise _refused(resource)
    secret = _BOX.seal(token)
    who = principal.tenant_id, principal.user_id, resource["resource"]
    await fetch(_STORE, (*who, secret, token_id, " ".join(scopes), expires), tenant=principal.tenant_id)


async def tokens_for(tenant_id: int, user_id: int, resources: Sequence[str]) -> dict[str, str]:
    """The valid tokens of a user, by resource."""
    rows = await fetch(_VALID, (tenant_id, user_id, list(resources)), tenant=tenant_id)
    # One whose key has been retired counts as none: the user is asked for a token again.
    found = {resource: _BOX.open(secret) for resource, secret in rows}
    return {resource: token for resource, token in found.items() if token is not None}


async def token_for(tenant_id: int, user_id: int, resource: str) -> str | None:
    """The valid token of a user for a resource."""
    return (await tokens_for(tenant_id, user_id, [resource])).get(resource)


async def missing(principal: Principal, resources: Sequence[Resource]) -> list[Resource]:
    """Those of the resources that the principal has no valid token for."""
    if not resources:
        return []
    names = [resource["resource"] for resource in resources]
    there = await tokens_for(principal.tenant_id, principal.user_id, names)
    return [resource for resource in resources if resource["resource"] not in there]


def is_ours(resource: Resource) -> bool:
    """Whether the tokens for a resource come from our own authorization server."""
    return any(on_this_host(server) for server in resource.get("authorization_servers", ()))


async def _own(principal: Principal, resource: Resource, token: str, scopes: Sequence[str]) -> Held:
    held = await credentials.of_token(token)
    good = (
        held is not None
        and held.user_id == principal.user_id
        and held.tenant_id in (None, principal.tenant_id)
        and resource["resource"] in held.resources
        and set(scopes) <= (held.scopes or frozenset())
    )
    if held is None or not good:
        raise _refused(resource)
    return held


async def _foreign(resource: Resource, token: str) -> datetime:
    try:
        return await jwks.expiry(resource, token)
    except jwks.NotValid:
        raise _refused(resource) from None


def _refused(resource: Resource) -> AuthRequired:
    return AuthRequired("The token is not valid for this resource", {"resources": [resource]})
