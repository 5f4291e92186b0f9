"""How does a process run turns?

Two loops: one claims waiting turns and starts a task for each, woken by a hint and looking by itself once a second; the other
renews the leases, lets go of turns that are no longer ours, and ends those of dead hosts. Source: DESIGN.md section 5.
"""

from __future__ import annotations

import asyncio
import logging
import time
import uuid

import psycopg
from django.conf import settings

from ahp_platform.agents import claims
from ahp_platform.agents.claims import Claim, Holder, Lease
from ahp_platform.agents.runner.active import error
from ahp_platform.agents.runner.live import LiveSessions
from ahp_platform.agents.runner.sweeper import end_lost_turns
from ahp_platform.agents.runner.turn_run import TurnRun
from ahp_platform.eventlog.logs import logs
from ahp_platform.fanout import hosts

logger = logging.getLogger(__name__)

CLAIM_AT_ONCE = 50
LOOK_EVERY_S = 1.0

# What runs when the process is told to stop may finish for this long; then it ends with an error, which takes a moment too.
FINISH_S = 3.0
END_S = 3.0
STOPPED = error("hostStopped", "The host was stopped for maintenance. Send the message again to go on.")


class Host:
    """The turns of this process."""

    def __init__(self) -> None:
        self._holder = Holder(uuid.uuid4(), settings.AHP_LEASE_S)
        self._sessions = LiveSessions()
        self._runs: dict[Lease, TurnRun | None] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._renewed = time.monotonic()

    async def claim_until(self, stop: asyncio.Event) -> None:
        """Take what waits."""
        while not stop.is_set():
            try:
                found = await claims.claim(self._holder, CLAIM_AT_ONCE)
            except psycopg.Error as failure:
                logger.warning("turns cannot be claimed: %s", type(failure).__name__)
                found = []
            for claim in found:
                self._start(claim)
            if len(found) < CLAIM_AT_ONCE:
                await hosts.wait_woken("turns", LOOK_EVERY_S)

    async def keep_forever(self) -> None:
        """Hold what is ours, end what nobody holds."""
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            try:
                # In this order: after a time without a database our own turns must not look lost to us.
                await self._renew()
                await end_lost_turns(self._holder)
            except psycopg.Error as failure:
                logger.warning("leases cannot be renewed: %s", type(failure).__name__)
            self._sessions.close_idle()

    async def finish(self) -> None:
        """Let the turns end, then end them."""
        await self._wait(FINISH_S)
        for run in self._runs.values():
            if run is not None:
                run.give_up(STOPPED)
        await self._wait(END_S)
        await self._sessions.close_all()

    def _start(self, claim: Claim) -> None:
        self._runs[claim.lease] = None
        task = asyncio.create_task(self._run(claim))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, claim: Claim) -> None:
        try:
            log = await logs.open(claim.key.tenant_id)
            self._runs[claim.lease] = run = TurnRun(claim, log, self._sessions)
            await run.run()
        except Exception:
            # Its lease is no longer renewed, so it will be ended as that of a dead host is.
            logger.exception("a turn could not be run")
        finally:
            del self._runs[claim.lease]

    async def _renew(self) -> None:
        if time.monotonic() - self._renewed < settings.AHP_LEASE_S / 3:
            return
        asked = dict(self._runs)
        held = await claims.renew(self._holder, asked)
        self._renewed = time.monotonic()
        for lease in asked.keys() - held:
            run = asked[lease]
            if run is not None:
                run.give_up(None)

    async def _wait(self, seconds: float) -> None:
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=seconds)


async def run_host(stop: asyncio.Event) -> None:
    """Run turns until `stop`, then bring them to an end. `configure` and the logs must have been started."""
    host = Host()
    keeping = asyncio.create_task(host.keep_forever())
    # Not cancelled, but left to see `stop`: a claim that was interrupted would hold turns that nobody runs.
    await host.claim_until(stop)
    await host.finish()
    keeping.cancel()
    await asyncio.gather(keeping, return_exceptions=True)
