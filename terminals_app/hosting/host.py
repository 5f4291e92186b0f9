"""How does a process run terminals?

Two loops, as for turns: one claims what waits, the other renews leases, ends the terminals of dead hosts and disposes of those that
nobody can use any more. Source: DESIGN.md section 5.
"""

from __future__ import annotations

import asyncio
import logging
import time
import uuid

import psycopg
from django.conf import settings

from ahp_platform import sandbox
from ahp_platform.eventlog.logs import logs
from ahp_platform.eventlog.view import View
from ahp_platform.fanout import hosts
from ahp_platform.sandbox import leftovers
from terminals_app import terminals
from terminals_app.hosting import claims
from terminals_app.hosting.claims import Claim, Holder, Lease
from terminals_app.hosting.terminal_run import TerminalRun

logger = logging.getLogger(__name__)

CLAIM_AT_ONCE = 20
LOOK_EVERY_S = 1.0
FINISH_S = 4.0


class TerminalHost:
    """The terminals of this process."""

    def __init__(self) -> None:
        self._holder = Holder(uuid.uuid4(), settings.AHP_LEASE_S)
        self._runs: dict[Lease, TerminalRun | None] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._renewed = time.monotonic()

    async def claim_until(self, stop: asyncio.Event) -> None:
        """Take what waits."""
        while not stop.is_set():
            try:
                found = await claims.claim(self._holder, CLAIM_AT_ONCE)
            except psycopg.Error as failure:
                logger.warning("terminals cannot be claimed: %s", type(failure).__name__)
                found = []
            for claim in found:
                self._start(claim)
            if len(found) < CLAIM_AT_ONCE:
                await hosts.wait_woken("terminals", LOOK_EVERY_S)

    async def keep_forever(self) -> None:
        """Hold what is ours, end what nobody holds."""
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            try:
                # In this order: after a time without a database our own terminals must not look lost to us.
                await self._renew()
                await self._end_lost()
                for tenant_id, uri in await claims.forsaken():
                    await _dispose(tenant_id, uri)
            except psycopg.Error as failure:
                logger.warning("terminals cannot be looked after: %s", type(failure).__name__)
            except Exception:
                logger.exception("terminals could not be looked after")

    async def finish(self) -> None:
        """End everything."""
        for run in self._runs.values():
            if run is not None:
                run.stop()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=FINISH_S)

    def _start(self, claim: Claim) -> None:
        self._runs[claim.lease] = None
        task = asyncio.create_task(self._run(claim))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, claim: Claim) -> None:
        try:
            log = await logs.open(claim.tenant_id)
            self._runs[claim.lease] = run = TerminalRun(claim, log)
            await run.run()
        except Exception:
            # Its lease is no longer renewed, so it will be ended as that of a dead host is.
            logger.exception("a terminal could not be run")
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
                run.lose()

    async def _end_lost(self) -> None:
        lost = await claims.take_over(self._holder, CLAIM_AT_ONCE)
        if lost:
            await asyncio.to_thread(leftovers.end_all, [claim.marker for claim in lost])
        for claim in lost:
            await _end(claim)


async def _end(claim: Claim) -> None:
    def plan(view: View) -> None:
        terminals.end(view, claim.uri, terminals.KILLED)

    await (await logs.open(claim.tenant_id)).append(plan)


async def _dispose(tenant_id: int, uri: str) -> None:
    await (await logs.open(tenant_id)).append(lambda view: terminals.dispose(view, uri))


async def run_terminals(stop: asyncio.Event) -> None:
    """Run terminals until `stop`, then end them. The logs must have been started."""
    await asyncio.to_thread(sandbox.announce)
    host = TerminalHost()
    keeping = asyncio.create_task(host.keep_forever())
    # Not cancelled, but left to see `stop`: a claim that was interrupted would hold terminals that nobody runs.
    await host.claim_until(stop)
    await host.finish()
    keeping.cancel()
    await asyncio.gather(keeping, return_exceptions=True)
