"""Which of our processes are alive?

Each process writes a heartbeat; what a silent one held is given up by the others.
"""

from __future__ import annotations

import asyncio
import logging
import uuid

from ahp_platform.eventlog.pool import fetch_across

logger = logging.getLogger(__name__)

WORKER_ID = uuid.uuid4()

BEAT_EVERY_S = 2.0
ALIVE_S = 10.0
FORGET_S = 3600.0

_BEAT = """
WITH old AS (DELETE FROM eventlog_worker WHERE seen_at < now() - make_interval(secs => %s))
INSERT INTO eventlog_worker (id, roles, started_at, seen_at) VALUES (%s, %s, now(), now())
ON CONFLICT (id) DO UPDATE SET seen_at = now() RETURNING id
"""


async def beat(roles: str) -> None:
    """Write heartbeats until cancelled; a database that is away is tried again."""
    while True:
        try:
            await fetch_across(_BEAT, (FORGET_S, WORKER_ID, roles))
        except Exception as error:  # noqa: BLE001 - whatever it is, the next beat tries again
            logger.warning("no heartbeat: %s", type(error).__name__)
        await asyncio.sleep(BEAT_EVERY_S)


async def leave() -> None:
    """This process ends in good order."""
    await fetch_across("DELETE FROM eventlog_worker WHERE id = %s RETURNING id", (WORKER_ID,))
