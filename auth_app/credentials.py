"""Is what somebody showed us still good, and for what?

A credential is an access token of our own authorization server or the cookie session of a browser. Both come out as
`Held`. The statements run on the asynchronous pool: a storm of reconnects must not queue for threads. A token is looked
up by its checksum, so its text is neither stored nor compared.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore
from django.utils.crypto import constant_time_compare

from ahp_platform.eventlog.gathered import Gathered
from ahp_platform.eventlog.pool import fetch_across

TOKEN, SESSION = "token:", "session:"
VALID_SESSION_KEY = re.compile(r"[a-z0-9]{8,40}")
# Ours have 30 characters; whoever sends a megabyte does not get it hashed.
MAX_TOKEN_LENGTH = 4096

_TOKENS = """
SELECT t.id, t.user_id, u.username, b.tenant_id, t.scope, t.resource, t.expires, t.token_checksum
FROM oauth2_provider_accesstoken t
JOIN auth_user u ON u.id = t.user_id AND u.is_active
LEFT JOIN auth_app_tokenbinding b ON b.access_token_id = t.id
WHERE t.expires > now() AND
"""
_SESSIONS = """
SELECT session_key, session_data, expire_date FROM django_session WHERE session_key = ANY(%s) AND expire_date > now()
"""
_USERS = "SELECT id, username, password FROM auth_user WHERE id = ANY(%s) AND is_active"


@dataclass(frozen=True, slots=True)
class Held:
    """A valid credential: whose it is and what it is good for. None as `tenant_id` or `scopes` is no restriction."""

    credential: str
    user_id: int
    username: str
    tenant_id: int | None
    scopes: frozenset[str] | None
    resources: tuple[str, ...]
    expires_at: datetime


async def of_token(text: str) -> Held | None:
    """What an access token is good for; None where it is none of ours, expired, revoked or of a disabled user."""
    if not 0 < len(text) <= MAX_TOKEN_LENGTH:
        return None
    return await _by_checksum(checksum(text))


async def _tokens(checksums: Sequence[str]) -> dict[str, Held]:
    rows = await fetch_across(f"{_TOKENS} t.token_checksum = ANY(%s)", (list(checksums),))
    return {row[7]: _token(row) for row in rows}


_by_checksum = Gathered(_tokens)


async def of_session(key: str) -> Held | None:
    """Who is logged in with a cookie session; None where nobody is."""
    if not VALID_SESSION_KEY.fullmatch(key):
        return None
    return (await alive([SESSION + key])).get(SESSION + key)


async def alive(credentials: Iterable[str]) -> dict[str, Held]:
    """Those of the credentials that are still good: one statement for all tokens, two for all sessions."""
    credentials = set(credentials)
    token_ids = [int(name.removeprefix(TOKEN)) for name in credentials if name.startswith(TOKEN)]
    session_keys = [name.removeprefix(SESSION) for name in credentials if name.startswith(SESSION)]
    held: list[Held] = []
    if token_ids:
        held += [_token(row) for row in await fetch_across(f"{_TOKENS} t.id = ANY(%s)", (token_ids,))]
    if session_keys:
        held += await _logged_in(session_keys)
    return {one.credential: one for one in held}


def checksum(text: str) -> str:
    """As django-oauth-toolkit computes it."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _token(row: tuple[Any, ...]) -> Held:
    token_id, user_id, username, tenant_id, scope, resources, expires, _ = row
    return Held(f"{TOKEN}{token_id}", user_id, username, tenant_id, frozenset(scope.split()), tuple(resources), expires)


async def _logged_in(keys: list[str]) -> list[Held]:
    sessions = [(key, _decoded(data), expires) for key, data, expires in await fetch_across(_SESSIONS, (keys,))]
    user_ids = [data["user_id"] for _, data, _ in sessions if data]
    users = {row[0]: row for row in await fetch_across(_USERS, (user_ids,))} if user_ids else {}
    held = []
    for key, data, expires in sessions:
        if data and (found := users.get(data["user_id"])) and _same_password(found[2], data["hash"]):
            held.append(Held(SESSION + key, found[0], found[1], None, None, (), expires))
    return held


def _decoded(session_data: str) -> dict[str, Any]:
    """User and password hash of a login; empty where the session has none."""
    data = SessionStore().decode(session_data)
    if SESSION_KEY not in data or BACKEND_SESSION_KEY not in data:
        return {}
    return {"user_id": int(data[SESSION_KEY]), "hash": data.get(HASH_SESSION_KEY, "")}


def _same_password(password: str, session_hash: str) -> bool:
    # A new password ends the sessions that were opened with the old one.
    user = User(password=password)
    hashes = (user.get_session_auth_hash(), *user.get_session_auth_fallback_hash())
    return any(constant_time_compare(session_hash, one) for one in hashes)
