"""How does the log stay bounded?

Actions that are older than the replay window, or more or larger than it takes, are deleted, after the channels that still need them
have got a checkpoint; `reconnect` from before the window is then answered with snapshots. Source: DESIGN.md section 3.
"""

from __future__ import annotations

import asyncio
import logging

from django.conf import settings

from ahp_platform.eventlog import sql, store, weights
from ahp_platform.eventlog.pool import connection_of, fetch, fetch_across

logger = logging.getLogger(__name__)

EVERY_S = 20.0
AT_ONCE = 20_000

_weights = weights.Weights()

# The number up to which a tenant's rows may go: behind the newest N, or older than the window, of which the first row says whether
# there are any.
_DUE = """
SELECT t.tenant_id, t.floor, t.seq, greatest(t.floor, t.seq - %(keep)s, CASE WHEN oldest.recorded_at < too.old THEN (
    SELECT max(e.seq) FROM eventlog_event e
    WHERE e.tenant_id = t.tenant_id AND e.seq <= t.floor + %(at_once)s AND e.recorded_at < too.old
) END)
FROM eventlog_tenantclock t
CROSS JOIN (SELECT now() - make_interval(hours => %(hours)s) AS old) too
LEFT JOIN LATERAL (
    SELECT e.recorded_at FROM eventlog_event e WHERE e.tenant_id = t.tenant_id ORDER BY e.seq LIMIT 1
) oldest ON true
"""
_NEEDING = """
SELECT DISTINCT c.uri FROM eventlog_channel c JOIN eventlog_event e ON e.tenant_id = c.tenant_id AND e.channel = c.uri
WHERE c.tenant_id = %s AND e.seq > c.state_seq AND e.seq <= %s AND e.kind = 0
"""


async def trim_forever() -> None:
    """Trim every tenant again and again until cancelled."""
    while True:
        await asyncio.sleep(EVERY_S)
        try:
            await trim()
        except Exception:
            logger.exception("the log could not be trimmed")


async def trim() -> None:
    """Delete what is due; several processes may do so at once."""
    limits = {"at_once": AT_ONCE, "keep": settings.AHP_REPLAY_ACTIONS, "hours": settings.AHP_REPLAY_HOURS}
    room = settings.AHP_REPLAY_MB * 1024 * 1024
    is_large = await weights.table_size() > room
    for tenant_id, floor, seq, due in await fetch_across(_DUE, limits):  # every tenant has its turn
        if is_large:
            due = max(due, await _weights.due(tenant_id, floor, seq, room))
        for until in range(floor, due, AT_ONCE):
            await _trim_tenant(tenant_id, min(due, until + AT_ONCE))


async def _trim_tenant(tenant_id: int, due: int) -> None:
    for (uri,) in await fetch(_NEEDING, (tenant_id, due), tenant=tenant_id):
        await _checkpoint(tenant_id, uri)
    async with connection_of(tenant_id) as conn, conn.transaction():
        await conn.execute(
            "UPDATE eventlog_tenantclock SET floor = greatest(floor, %s) WHERE tenant_id = %s", (due, tenant_id)
        )
        await conn.execute("DELETE FROM eventlog_event WHERE tenant_id = %s AND seq <= %s", (tenant_id, due))


async def _checkpoint(tenant_id: int, uri: str) -> None:
    async with connection_of(tenant_id) as conn, conn.transaction():
        # The clock is held, so that nobody writes between the reading of the state and its checkpoint.
        await conn.execute(sql.LOCK_CLOCK, (tenant_id,))
        seq, loaded = await store.load(tenant_id, uri, conn)
        if loaded is not None:
            text = store.checkpoint_text(loaded.view.kind, loaded.view.state)
            await conn.execute(sql.CHECKPOINT.encode(), (text, seq, tenant_id, uri))
