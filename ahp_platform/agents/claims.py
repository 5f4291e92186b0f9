"""Which host runs which turn, and for how long does it hold it?

A claim takes waiting rows that nobody else is taking, raises their fence and sets a lease; the host renews the leases of all its
turns with one statement. A turn is claimed once: a row whose lease has run out is never run again but taken over to be ended.
Source: DESIGN.md section 5.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple
from uuid import UUID

from ahp_platform.agents.turns import Statement, TurnKey
from ahp_platform.eventlog.pool import pool

RETURNING = """
RETURNING t.id, t.fence, t.tenant_id, t.chat, t.turn_id, t.session, t.provider, t.user_id,
    (extract(epoch FROM clock_timestamp() - t.created_at) * 1000)::int8
"""

CLAIM = """
WITH free AS (SELECT id FROM agents_turn WHERE state = 'waiting' ORDER BY id LIMIT %s FOR UPDATE SKIP LOCKED)
UPDATE agents_turn t
SET state = 'running', host = %s, fence = t.fence + 1, started_at = now(), lease_until = now() + make_interval(secs => %s)
FROM free WHERE t.id = free.id
"""

RENEW = """
UPDATE agents_turn t SET lease_until = now() + make_interval(secs => %s)
FROM unnest(%s::int8[], %s::int4[]) AS mine(id, fence)
WHERE t.id = mine.id AND t.fence = mine.fence AND t.host = %s AND t.state = 'running'
RETURNING t.id, t.fence
"""

TAKE_OVER = """
WITH lost AS (
    SELECT id FROM agents_turn WHERE state = 'running' AND lease_until < now()
    ORDER BY lease_until LIMIT %s FOR UPDATE SKIP LOCKED
)
UPDATE agents_turn t SET host = %s, fence = t.fence + 1, lease_until = now() + make_interval(secs => %s)
FROM lost WHERE t.id = lost.id
"""

CLOSE = """
UPDATE agents_turn SET state = %s, ended_at = now(), host = NULL, lease_until = NULL
WHERE id = %s AND fence = %s AND state IN ('waiting', 'running')
"""


class Lease(NamedTuple):
    """A row and the number with which it was claimed."""

    id: int
    fence: int


class Claim(NamedTuple):
    """A turn that this host holds. `age_ms` is the time since it was accepted, at the moment of the claim."""

    lease: Lease
    key: TurnKey
    session: str
    provider: str
    user_id: int | None
    age_ms: int


class Holder(NamedTuple):
    """Who claims, and for how many seconds at a time."""

    host: UUID
    lease_s: float


async def claim(holder: Holder, limit: int) -> list[Claim]:
    """Take up to `limit` waiting turns, oldest first."""
    return await _taken((CLAIM, (limit, holder.host, holder.lease_s)))


async def renew(holder: Holder, leases: Collection[Lease]) -> set[Lease]:
    """Renew the leases; returns those still held. The others have ended, or were lost to another host."""
    if not leases:
        return set()
    ids, fences = [lease.id for lease in leases], [lease.fence for lease in leases]
    async with (await pool()).connection() as conn:
        rows = await (await conn.execute(RENEW, (holder.lease_s, ids, fences, holder.host))).fetchall()
    return {Lease(*row) for row in rows}


async def take_over(holder: Holder, limit: int) -> list[Claim]:
    """Take turns whose host no longer renews its lease: they are to be ended, not run."""
    return await _taken((TAKE_OVER, (limit, holder.host, holder.lease_s)))


async def close(lease: Lease, state: str) -> None:
    """End the row of a turn that its chat no longer has; nothing happens where the row has ended or was claimed again."""
    async with (await pool()).connection() as conn:
        await conn.execute(CLOSE, (state, lease.id, lease.fence))


async def _taken(statement: Statement) -> list[Claim]:
    query, params = statement
    async with (await pool()).connection() as conn:
        rows = await (await conn.execute((query + RETURNING).encode(), params)).fetchall()
    claims = [
        Claim(Lease(id, fence), TurnKey(tenant_id, chat, turn_id), session, provider, user_id, age_ms)
        for id, fence, tenant_id, chat, turn_id, session, provider, user_id, age_ms in rows
    ]
    # PostgreSQL returns updated rows in no particular order.
    return sorted(claims, key=lambda each: each.lease.id)
