"""Which host runs which terminal, and for how long does it hold it?

As with turns: a claim takes waiting rows that nobody else is taking and sets a lease, one statement renews all leases of a host, and
a row whose lease has run out is taken over to be ended, never to be run again. Source: DESIGN.md section 5.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple
from uuid import UUID

import msgspec

from ahp_platform.eventlog.pool import fetch
from terminals_app.terminals import Plan

RETURNING = "RETURNING t.id, t.fence, t.tenant_id, t.uri, t.plan, t.marker"

CLAIM = f"""
WITH free AS (SELECT id FROM terminals_app_terminal WHERE state = 'waiting' ORDER BY id LIMIT %s FOR UPDATE SKIP LOCKED)
UPDATE terminals_app_terminal t
SET state = 'running', host = %s, fence = t.fence + 1, lease_until = now() + make_interval(secs => %s)
FROM free WHERE t.id = free.id {RETURNING}
"""  # noqa: S608 - the text is ours

RENEW = """
UPDATE terminals_app_terminal t SET lease_until = now() + make_interval(secs => %s)
FROM unnest(%s::int8[], %s::int4[]) AS mine(id, fence)
WHERE t.id = mine.id AND t.fence = mine.fence AND t.host = %s AND t.state = 'running'
RETURNING t.id, t.fence
"""

TAKE_OVER = f"""
WITH lost AS (
    SELECT id FROM terminals_app_terminal WHERE state = 'running' AND lease_until < now()
    ORDER BY lease_until LIMIT %s FOR UPDATE SKIP LOCKED
)
UPDATE terminals_app_terminal t SET host = %s, fence = t.fence + 1, lease_until = now() + make_interval(secs => %s)
FROM lost WHERE t.id = lost.id {RETURNING}
"""  # noqa: S608 - the text is ours

# Terminals whose session is gone, or whose holder is not among the members who may use terminals any more.
FORSAKEN = """
SELECT t.tenant_id, t.uri FROM terminals_app_terminal t WHERE t.session IS NOT NULL AND NOT EXISTS (
    SELECT FROM eventlog_channel c WHERE c.tenant_id = t.tenant_id AND c.uri = t.session
) UNION ALL
SELECT t.tenant_id, t.uri FROM terminals_app_terminal t WHERE t.session IS NULL AND NOT EXISTS (
    SELECT FROM auth_app_membership m
    WHERE m.tenant_id = t.tenant_id AND m.user_id = t.user_id AND m.role <> 'viewer'
) LIMIT 200
"""

NETWORK = "SELECT coalesce((settings ->> 'network')::bool, false) FROM auth_app_tenant WHERE id = %s"


class Lease(NamedTuple):
    """A row and the number with which it was claimed."""

    id: int
    fence: int


class Claim(NamedTuple):
    """A terminal that this host holds."""

    lease: Lease
    tenant_id: int
    uri: str
    plan: Plan
    marker: UUID


class Holder(NamedTuple):
    """Who claims, and for how many seconds at a time."""

    host: UUID
    lease_s: float


async def claim(holder: Holder, limit: int) -> list[Claim]:
    """Take up to `limit` waiting terminals, oldest first."""
    return _claims(await fetch(CLAIM, (limit, holder.host, holder.lease_s)))


async def renew(holder: Holder, leases: Collection[Lease]) -> set[Lease]:
    """Renew the leases; returns those still held."""
    if not leases:
        return set()
    ids, fences = [lease.id for lease in leases], [lease.fence for lease in leases]
    return {Lease(*row) for row in await fetch(RENEW, (holder.lease_s, ids, fences, holder.host))}


async def take_over(holder: Holder, limit: int) -> list[Claim]:
    """Take terminals whose host no longer renews its lease."""
    return _claims(await fetch(TAKE_OVER, (limit, holder.host, holder.lease_s)))


async def forsaken() -> list[tuple[int, str]]:
    """Tenant and URI of terminals that nobody can use any more."""
    return [(tenant_id, uri) for tenant_id, uri in await fetch(FORSAKEN, ())]


async def has_network(tenant_id: int) -> bool:
    """Whether the tenant's settings let its shells into the network."""
    rows = await fetch(NETWORK, (tenant_id,))
    return bool(rows and rows[0][0])


def _claims(rows: Collection[tuple[int, int, int, str, str, UUID]]) -> list[Claim]:
    claims = [
        Claim(Lease(id, fence), tenant_id, uri, msgspec.json.decode(plan, type=Plan), marker)
        for id, fence, tenant_id, uri, plan, marker in rows
    ]
    # PostgreSQL returns updated rows in no particular order.
    return sorted(claims, key=lambda each: each.lease.id)
