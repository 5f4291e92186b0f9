"""Which statements keep the tables of customizations?

Each builder gives (statement, params) for `View.sql`; the functions that wait run one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from ahp_platform.eventlog.pool import fetch, fetch_across
from ahp_platform.leases.rows import Lease, LeasedRows
from ahp_platform.protocol import jsonrpc

Statement = tuple[str, Sequence[object]]

# How long a session is kept after somebody was last seen to care; whoever follows it is seen every `SEEN_EVERY_S`.
WANTED_S, SEEN_EVERY_S = 180, 60

_WANTED = """
INSERT INTO sessions_app_equipment (tenant_id, session, state, wanted_until, fence)
SELECT s.tenant_id, s.uri, 'waiting', now() + make_interval(secs => %s), 0
FROM unnest(%s::int8[], %s::text[]) AS w(tenant, session) JOIN sessions_app_session s ON s.tenant_id = w.tenant AND s.uri = w.session
ON CONFLICT (tenant_id, session) DO UPDATE SET
    wanted_until = greatest(sessions_app_equipment.wanted_until, excluded.wanted_until),
    state = CASE sessions_app_equipment.state WHEN 'idle' THEN 'waiting' ELSE sessions_app_equipment.state END
RETURNING state
"""
_UNWANTED = "SELECT id, fence FROM sessions_app_equipment WHERE id = ANY(%s) AND wanted_until < now()"
_RELEASE = """
UPDATE sessions_app_equipment SET state = 'idle', host = NULL, lease_until = NULL
WHERE id = %s AND fence = %s AND state = 'running' AND wanted_until < now() RETURNING id
"""
_PUT_BACK = """
UPDATE sessions_app_equipment SET state = 'waiting', host = NULL, lease_until = NULL
WHERE id = %s AND fence = %s AND state = 'running' RETURNING id
"""
_CHALLENGED = """
INSERT INTO sessions_app_challenge (tenant_id, session, server, resource, metadata)
SELECT tenant_id, uri, %s, %s, %s FROM sessions_app_session WHERE tenant_id = %s AND uri = %s
ON CONFLICT (tenant_id, session, server) DO UPDATE SET resource = excluded.resource, metadata = excluded.metadata
RETURNING tenant_id
"""
_ADVERTISED = """
SELECT c.metadata FROM sessions_app_challenge c
JOIN sessions_app_session s ON s.tenant_id = c.tenant_id AND s.uri = c.session
WHERE c.tenant_id = %s AND c.resource = %s AND (s.readers IS NULL OR %s = ANY(s.readers)) LIMIT 1
"""


class Claim(NamedTuple):
    """A session whose customizations this host keeps."""

    lease: Lease
    tenant_id: int
    session: str


ROWS: LeasedRows[Claim] = LeasedRows(
    "sessions_app_equipment", "t.tenant_id, t.session", lambda lease, rest: Claim(lease, rest[0], rest[1])
)


def wanted_sql(tenant_id: int, session: str) -> Statement:
    """Somebody cares for the customizations of a session: a host is to keep them for a while."""
    return _WANTED, (WANTED_S, [tenant_id], [session])


async def wanted(sessions: Collection[tuple[int, str]]) -> bool:
    """The same for several, of any tenants; whether some now wait for a host."""
    tenants, uris = [tenant for tenant, _ in sessions], [uri for _, uri in sessions]
    # Across: whom a process serves is not one tenant.
    rows = await fetch_across(_WANTED, (WANTED_S, tenants, uris)) if sessions else []
    return any(state == "waiting" for (state,) in rows)


async def unwanted(leases: Collection[Lease]) -> set[Lease]:
    """Those of these that nobody has cared for lately."""
    if not leases:
        return set()
    # Across: a host keeps sessions of several tenants.
    rows = await fetch_across(_UNWANTED, ([lease.id for lease in leases],))
    return {Lease(*row) for row in rows} & set(leases)


async def release(claim: Claim) -> bool:
    """Nobody keeps it any more, until somebody cares again; False where somebody does already."""
    return bool(await fetch(_RELEASE, tuple(claim.lease), tenant=claim.tenant_id))


async def put_back(claim: Claim) -> None:
    """Another host is to keep it."""
    await fetch(_PUT_BACK, tuple(claim.lease), tenant=claim.tenant_id)


async def challenged(tenant_id: int, session: str, server: str, resource: Mapping[str, Any]) -> None:
    """A server asks for tokens for a resource: from now on `authenticate` takes them from whoever sees the session."""
    asked = server, str(resource["resource"]), jsonrpc.encode(resource)
    await fetch(_CHALLENGED, (*asked, tenant_id, session), tenant=tenant_id)


async def advertised(tenant_id: int, user_id: int, resource: str) -> dict[str, Any] | None:
    """The metadata of a resource that a server asks tokens for, in a session that the user sees."""
    if "\x00" in resource:
        return None
    rows = await fetch(_ADVERTISED, (tenant_id, resource, user_id), tenant=tenant_id)
    return msgspec.json.decode(rows[0][0]) if rows else None


def removed(tenant_id: int, session: str) -> list[Statement]:
    """The session is gone."""
    return [
        ("DELETE FROM sessions_app_equipment WHERE tenant_id = %s AND session = %s", (tenant_id, session)),
        ("DELETE FROM sessions_app_challenge WHERE tenant_id = %s AND session = %s", (tenant_id, session)),
    ]
