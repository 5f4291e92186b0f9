"""What does a server ask for that refuses a request for want of a token?

`WWW-Authenticate` names the reason, the scopes and where the resource's metadata is (RFC 6750, RFC 9728). The metadata must name a
resource that the server's own address lies in: else a server could ask for a token that was meant for another.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from mcp.client.auth.utils import build_protected_resource_metadata_discovery_urls
from mcp.shared.auth_utils import check_resource_allowed

from ahp_platform.mcp.failures import McpFailed

REASONS = {"invalid_token": "expired", "insufficient_scope": "insufficientScope"}
MAX_TEXT = 2_000

# What we tell clients. Not `jwks_uri`: tokens for what a tenant's file names are not ours to judge, and its address not ours to read.
STRINGS = ("resource_name", "resource_documentation", "resource_policy_uri", "resource_tos_uri")
LISTS = ("authorization_servers", "scopes_supported", "bearer_methods_supported")


class Challenge(NamedTuple):
    """A refusal. `reason` as in `McpAuthRequiredReason`, `metadata_url` where it was given."""

    reason: str
    metadata_url: str | None
    scopes: tuple[str, ...]
    description: str


def challenge_of(status: int, header: str, had_token: bool) -> Challenge | None:
    """The challenge in a response, or None where it is no refusal for want of a token."""
    error = _field(header, "error") or ""
    if status != 401 and not (status == 403 and error == "insufficient_scope"):
        return None
    reason = REASONS.get(error, "required")
    if reason == "expired" and not had_token:
        reason = "required"
    scopes = tuple((_field(header, "scope") or "").split())
    return Challenge(reason, _field(header, "resource_metadata"), scopes, (_field(header, "error_description") or ""))


async def requirement_of(
    challenge: Challenge, server: str, fetch: Callable[[str], Awaitable[object]]
) -> dict[str, Any]:
    """The `McpAuthRequirement` of a challenge by the server at this address; raises `McpFailed`."""
    for url in build_protected_resource_metadata_discovery_urls(challenge.metadata_url, server):
        document = await fetch(url)
        if isinstance(document, dict) and isinstance(document.get("resource"), str):
            document = json.loads(json.dumps(document).replace("\\u0000", ""))
            break
    else:
        raise McpFailed("The server wants a token, but does not say for which resource")
    resource = _resource(document)
    if not check_resource_allowed(server, resource["resource"]):
        raise McpFailed("The server wants a token for a resource that is not its own")
    requirement: dict[str, Any] = {"reason": challenge.reason, "resource": resource}
    scopes = challenge.scopes or tuple(resource.get("scopes_supported", ()))
    if scopes:
        requirement["requiredScopes"] = list(scopes)
    if challenge.description:
        requirement["description"] = challenge.description[:MAX_TEXT]
    return requirement


def _resource(document: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {"resource": document["resource"][:MAX_TEXT]}
    for name in STRINGS:
        if isinstance(document.get(name), str):
            found[name] = document[name][:MAX_TEXT]
    for name in LISTS:
        values = document.get(name)
        if isinstance(values, list) and all(isinstance(value, str) for value in values):
            found[name] = [value[:MAX_TEXT] for value in values[:50]]
    return {**found, "required": True}


def _field(header: str, name: str) -> str | None:
    found = re.search(rf'(?<![\w-]){name}=(?:"((?:[^"\\]|\\.)*)"|([^\s,]+))', header)
    return (found.group(1) if found.group(1) is not None else found.group(2)) if found else None
