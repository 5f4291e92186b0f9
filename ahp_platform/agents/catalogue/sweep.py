"""Who sees to it that a worker does what a row asks for?

Every host process looks once a second. Asking is repeated until it is done, so what a dying worker left, or a broker lost, is taken up
again; a worker who finds another at work leaves at once.
"""

from __future__ import annotations

import asyncio
import logging

from ahp_platform.agents.tasks import ask_to_attend
from ahp_platform.eventlog.pool import fetch_across

logger = logging.getLogger(__name__)

EVERY_S = 1.0
ASK_AGAIN_AFTER_S = 15.0
HAND_OVER_S = 2.0

# The row is marked in the same statement, so that one process asks and the others do not.
_UNATTENDED = """
UPDATE agents_agent SET asked_at = now() WHERE id IN (
    SELECT id FROM agents_agent
    WHERE (install_state IN ('waiting', 'installing') OR check_state IN ('waiting', 'checking'))
        AND (asked_at IS NULL OR asked_at < now() - make_interval(secs => %s))
    FOR UPDATE SKIP LOCKED
) RETURNING id
"""
# Agents are no tenant's. Looked first, since the trigger on the table would count an update that changes nothing.
_ANY = """
SELECT 1 FROM agents_agent
WHERE (install_state IN ('waiting', 'installing') OR check_state IN ('waiting', 'checking'))
    AND (asked_at IS NULL OR asked_at < now() - make_interval(secs => %s)) LIMIT 1
"""


async def sweep_forever() -> None:
    """Sweep until cancelled; a round that fails is followed by another."""
    while True:
        try:
            waiting = await fetch_across(_ANY, (ASK_AGAIN_AFTER_S,))
            if waiting and await fetch_across(_UNATTENDED, (ASK_AGAIN_AFTER_S,)):
                await asyncio.wait_for(asyncio.to_thread(ask_to_attend), HAND_OVER_S)
        except Exception as error:  # noqa: BLE001 - whatever it is, the next round tries again
            logger.warning("agents could not be attended to: %s", type(error).__name__)
        await asyncio.sleep(EVERY_S)
