"""What happens to the turns of a host that died?

Any living host that finds a lease run out takes the turn over and ends it with `chat/error`; it is never run again, since nobody
knows what its agent has done already. Source: DESIGN.md section 5.
"""

from __future__ import annotations

import logging

from ahp_platform.agents import claims
from ahp_platform.agents.claims import Claim, Holder
from ahp_platform.agents.runner.active import acting, error
from ahp_platform.eventlog.logs import logs

logger = logging.getLogger(__name__)

AT_ONCE = 100

LOST = error("hostLost", "The host that ran this turn stopped. Send the message again to go on.")


async def end_lost_turns(holder: Holder) -> None:
    """End what nobody runs any more; one that fails is found again when our own lease on it has run out."""
    for claim in await claims.take_over(holder, AT_ONCE):
        try:
            await _end(claim)
        except Exception:
            logger.exception("a lost turn could not be ended")


async def _end(claim: Claim) -> None:
    log = await logs.open(claim.key.tenant_id)
    action = {**LOST, "turnId": claim.key.turn_id, "duration": max(0, claim.age_ms)}
    await log.append(acting(claim.key, [action]))
    # For a row whose chat has gone on or is gone; the action above has ended any other.
    await claims.close(claim.lease, "error")
