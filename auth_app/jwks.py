"""Did the authorization server of somebody else's resource issue this token? For those that publish their keys (JWKS).

The keys are fetched from where the resource's metadata says, which operators write, and kept for a while; an unknown key
makes us look again, but not more often than once in `LOOK_AGAIN_S`.
"""

from __future__ import annotations

import asyncio
import json
import time
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from jwcrypto.common import JWException
from jwcrypto.jwk import JWKSet
from jwcrypto.jwt import JWT

KEPT_S = 600.0
LOOK_AGAIN_S = 10.0
FETCH_TIMEOUT_S = 5.0
MAX_BYTES = 1024 * 1024
# Signatures that a published key can check. None of the shared secrets, and never `none`.
ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"]


class NotValid(Exception):
    """The token is not one of that server's for this resource; the text says nothing of the token."""


@dataclass(frozen=True, slots=True)
class _Kept:
    keys: JWKSet
    at: float


_kept: dict[str, _Kept] = {}


async def expiry(resource: Mapping[str, Any], token: str) -> datetime:
    """When the token ends that is good for the resource; raises `NotValid` for every other."""
    uri: str = resource["jwks_uri"]
    try:
        claims = _claims(await _keys(uri, KEPT_S), token)
    except JWException:
        try:
            claims = _claims(await _keys(uri, LOOK_AGAIN_S), token)
        except JWException:
            raise NotValid("The token is not valid") from None
    return _judged(resource, claims)


def _claims(keys: JWKSet, token: str) -> dict[str, Any]:
    try:
        claims = json.loads(JWT(jwt=token, key=keys, algs=ALGORITHMS, check_claims={"exp": None, "aud": None}).claims)
    except (ValueError, TypeError, KeyError):
        raise NotValid("The token is not a JWT") from None
    return claims if isinstance(claims, dict) else {}


def _judged(resource: Mapping[str, Any], claims: Mapping[str, Any]) -> datetime:
    audience = claims.get("aud")
    issuers = resource.get("authorization_servers")
    if resource["resource"] not in (audience if isinstance(audience, list) else [audience]):
        raise NotValid("The token is for another audience")
    if issuers and claims.get("iss") not in issuers:
        raise NotValid("The token is of another issuer")
    ends = datetime.fromtimestamp(float(claims["exp"]), UTC)
    # The library allows for clocks that differ; what has ended is of no use to a turn.
    if ends <= datetime.now(UTC):
        raise NotValid("The token has expired")
    return ends


async def _keys(uri: str, not_older_than_s: float) -> JWKSet:
    found = _kept.get(uri)
    if found is None or time.monotonic() - found.at > not_older_than_s:
        found = _kept[uri] = _Kept(await asyncio.to_thread(_fetched, uri), time.monotonic())
    return found.keys


def _fetched(uri: str) -> JWKSet:
    if not uri.startswith(("https://", "http://127.0.0.1:")):
        raise NotValid("The resource's keys are not published over HTTPS")
    try:
        with urllib.request.urlopen(uri, timeout=FETCH_TIMEOUT_S) as answer:  # noqa: S310 - the scheme is checked above
            return JWKSet.from_json(answer.read(MAX_BYTES).decode())
    except (OSError, ValueError, JWException):
        raise NotValid("The resource's keys cannot be had") from None
