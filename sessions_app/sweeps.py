"""What has to be looked after although nobody asks?

Runs in every host process; each sweep is safe to run in several at once.
"""

from __future__ import annotations

import asyncio
import logging

from ahp_platform.eventlog.pool import fetch_across
from sessions_app import presence, queue
from sessions_app.rpc import hand_over
from sessions_app.tasks import ask_to_prepare

logger = logging.getLogger(__name__)

EVERY_S = 1.0
ASK_AGAIN_AFTER_S = 5.0

# The row is pushed ahead in the same statement, so that one process asks and the others do not.
_UNPREPARED = """
UPDATE sessions_app_session SET unprepared_since = now() WHERE (tenant_id, uri) IN (
    SELECT tenant_id, uri FROM sessions_app_session WHERE unprepared_since < now() - make_interval(secs => %s)
    ORDER BY unprepared_since LIMIT 50 FOR UPDATE SKIP LOCKED
) RETURNING tenant_id, uri
"""


async def sweep_forever() -> None:
    """Run the sweeps until cancelled; one that fails is tried again in the next round."""
    while True:
        await asyncio.sleep(EVERY_S)
        try:
            await presence.sweep()
            await queue.sweep()
            for tenant_id, uri in await fetch_across(_UNPREPARED, (ASK_AGAIN_AFTER_S,)):
                await hand_over(ask_to_prepare, tenant_id, uri)
        except Exception as error:  # noqa: BLE001 - whatever it is, the next round tries again
            logger.warning("a sweep failed: %s", type(error).__name__)
