"""How does a user ask for a file outside of the tenant's directory, and get an answer?

The request is written down for the tenant's owners and operators (`grants/pages.py`), and waits for a while; who asks
again later finds the decision, or asks anew. Nobody learns whether the file exists. Source: PROTOCOL.md section 12
(`resourceRequest`).
"""

from __future__ import annotations

import asyncio
import time

from ahp_platform.acts import Act, tell_soon
from ahp_platform.eventlog.pool import fetch, fetch_across
from ahp_platform.protocol.errors import InvalidRequest, PermissionDenied
from ahp_platform.protocol.uris import ROOT
from ahp_platform.rpc.context import Context, Principal
from ahp_platform.workspaces.granted import Grantable
from changesets_app.grants import in_force

# How long a request waits for somebody to decide, and how often it looks.
WAIT_S, LOOK_EVERY_S = 20.0, 0.5
# Requests of one user that may be undecided at a time; what was denied is not asked again for this long.
MAX_WAITING = 20
DENIED_FOR_S = 600

ASKED = "An owner or operator of your organisation has been asked; ask again when they have decided"
DENIED = "An owner or operator of your organisation has denied it"

_WAITING = """
SELECT count(*) FROM changesets_app_filegrant
WHERE tenant_id = %s AND user_id = %s AND decided_at IS NULL AND (path, writes) <> (%s, %s)
"""
# What is undecided stays as it is; what has ended is asked anew.
_ASK = """
INSERT INTO changesets_app_filegrant AS known (tenant_id, user_id, path, writes, asked_at)
VALUES (%(tenant)s, %(user)s, %(path)s, %(write)s, now())
ON CONFLICT (tenant_id, user_id, path, writes) DO UPDATE
SET asked_at = now(), decided_at = NULL, decided_by_id = NULL, granted_until = NULL
WHERE known.decided_at IS NOT NULL
    AND coalesce(known.granted_until, known.decided_at + make_interval(secs => %(denied_for)s)) < now()
RETURNING id
"""
_DENIED = """
SELECT FROM changesets_app_filegrant
WHERE tenant_id = %(tenant)s AND user_id = %(user)s AND path = %(path)s AND writes = %(write)s
    AND decided_at IS NOT NULL AND granted_until IS NULL
"""
_FORGET = """
DELETE FROM changesets_app_filegrant WHERE coalesce(granted_until, decided_at, asked_at) < now() - interval '30 days'
"""


async def ask(context: Context, uri: str, place: Grantable, *, write: bool) -> None:
    """Wait until the place is granted; raises `PermissionDenied` where it is not, or not yet."""
    principal = context.principal
    if await in_force.is_granted(principal, place, write=write):
        return
    path = place.path()
    await _write_down(principal, path, write)
    wish = {"request": {"channel": ROOT, "uri": uri, ("write" if write else "read"): True}}
    asked = {"tenant": principal.tenant_id, "user": principal.user_id, "path": path, "write": write}
    until = time.monotonic() + WAIT_S
    while time.monotonic() < until:
        if await fetch(_DENIED, asked, tenant=principal.tenant_id):
            raise PermissionDenied(DENIED, wish)
        await asyncio.sleep(LOOK_EVERY_S)
        if await in_force.is_granted(principal, place, write=write):
            return
    raise PermissionDenied(ASKED, wish)


async def forget_old() -> None:
    """Let go of what was decided, or asked, long ago."""
    # Of every tenant: they have grown old together.
    await fetch_across(f"{_FORGET} RETURNING id", ())


async def _write_down(principal: Principal, path: str, write: bool) -> None:
    who = principal.tenant_id, principal.user_id
    ((waiting,),) = await fetch(_WAITING, (*who, path, write), tenant=who[0])
    if waiting >= MAX_WAITING:
        raise InvalidRequest(f"At most {MAX_WAITING} of your requests may be undecided at a time")
    asked = {"tenant": who[0], "user": who[1], "path": path, "write": write, "denied_for": DENIED_FOR_S}
    if await fetch(_ASK, asked, tenant=who[0]):
        await tell_soon(Act("file.asked", *who, f"{'write' if write else 'read'} {path}"))
