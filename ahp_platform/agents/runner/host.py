"""Which work are the turns of a host process?

A turn that a dead host held is ended with `chat/error` and never run again, since nobody knows what its agent has done already.
Source: DESIGN.md section 5.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

from ahp_platform.agents import claims
from ahp_platform.agents.claims import Claim
from ahp_platform.agents.runner.active import acting, error
from ahp_platform.agents.runner.live import LiveSessions
from ahp_platform.agents.runner.turn_run import TurnRun
from ahp_platform.eventlog.log import TenantLog
from ahp_platform.eventlog.logs import logs
from ahp_platform.leases.host import run_work

logger = logging.getLogger(__name__)

LOST = error("hostLost", "The host that ran this turn stopped. Send the message again to go on.")


class Turns:
    """The turns of this process, and the agents that they keep at work."""

    name = "turns"
    rows = claims.TURNS
    at_once = 50
    # An end with an error takes a moment, too.
    finish_s = 3.0
    end_s = 3.0

    def __init__(self) -> None:
        self._sessions = LiveSessions()

    def begin(self, claim: Claim, log: TenantLog) -> TurnRun:
        """See `Work`."""
        return TurnRun(claim, log, self._sessions)

    async def end(self, lost: Sequence[Claim]) -> None:
        """See `Work`; one that fails is found again when our own lease on it has run out."""
        for claim in lost:
            try:
                await _end(claim)
            except Exception:
                logger.exception("a lost turn could not be ended")

    async def look_after(self) -> None:
        """See `Work`."""
        self._sessions.close_idle()

    async def close(self) -> None:
        """See `Work`."""
        await self._sessions.close_all()


async def _end(claim: Claim) -> None:
    log = await logs.open(claim.tenant_id)
    action = {**LOST, "turnId": claim.key.turn_id, "duration": max(0, claim.age_ms)}
    await log.append(acting(claim.key, [action]))
    # For a row whose chat has gone on or is gone; the action above has ended any other.
    await claims.close(claim.lease, "error")


async def run_turns(stop: asyncio.Event) -> None:
    """Run turns until `stop`, then bring them to an end. `configure` and the logs must have been started."""
    await run_work(Turns(), stop)
