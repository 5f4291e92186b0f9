"""How does a process run work that is claimed from the database?

Two loops: one claims what waits and starts a task for each, woken by a hint and looking by itself once a second; the other renews the
leases, lets go of what is no longer ours, and ends what dead hosts held. Source: DESIGN.md section 5.
"""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections.abc import Sequence
from typing import Generic, Protocol

import psycopg
from django.conf import settings

from ahp_platform.eventlog.log import TenantLog
from ahp_platform.eventlog.logs import logs
from ahp_platform.fanout import hosts
from ahp_platform.leases.rows import C, Holder, Lease, LeasedRows

logger = logging.getLogger(__name__)

LOOK_EVERY_S = 1.0


class Run(Protocol):
    """A claimed row at work on this host."""

    async def run(self) -> None:
        """Do it to its end."""

    def lose(self) -> None:
        """It is no longer ours: stop, and say nothing."""

    def stop(self) -> None:
        """The process ends: stop, and say so."""


class Work(Protocol[C]):
    """One kind of work. `name` is for people and for the wake-up; the times are seconds.

    When the process ends, what runs may go on for `finish_s`, is stopped, and then has `end_s`.
    """

    name: str
    rows: LeasedRows[C]
    at_once: int
    finish_s: float
    end_s: float

    def begin(self, claim: C, log: TenantLog) -> Run:
        """What will run a claimed row."""

    async def end(self, lost: Sequence[C]) -> None:
        """Write the end of what a dead host held; what cannot be written is found again."""

    async def look_after(self) -> None:
        """Once a second: whatever else has to be kept in order."""

    async def close(self) -> None:
        """Nothing runs any more."""


class Host(Generic[C]):
    """The work of one kind in this process."""

    def __init__(self, work: Work[C]) -> None:
        self._work = work
        self._holder = Holder(uuid.uuid4(), settings.AHP_LEASE_S)
        self._runs: dict[Lease, Run | None] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._renewed = time.monotonic()

    async def claim_until(self, stop: asyncio.Event) -> None:
        """Take what waits."""
        while not stop.is_set():
            try:
                found = await self._work.rows.claim(self._holder, self._work.at_once)
            except psycopg.Error as failure:
                logger.warning("%s cannot be claimed: %s", self._work.name, type(failure).__name__)
                found = []
            for claim in found:
                self._start(claim)
            if len(found) < self._work.at_once:
                await hosts.wait_woken(self._work.name, LOOK_EVERY_S)

    async def keep_forever(self) -> None:
        """Hold what is ours, end what nobody holds."""
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            try:
                # In this order: after a time without a database our own work must not look lost to us.
                await self._renew()
                lost = await self._work.rows.take_over(self._holder, self._work.at_once)
                if lost:
                    await self._work.end(lost)
                await self._work.look_after()
            except psycopg.Error as failure:
                logger.warning("%s cannot be looked after: %s", self._work.name, type(failure).__name__)
            except Exception:
                logger.exception("%s could not be looked after", self._work.name)

    async def finish(self) -> None:
        """Let what runs end, then end it."""
        await self._wait(self._work.finish_s)
        for run in self._runs.values():
            if run is not None:
                run.stop()
        await self._wait(self._work.end_s)
        await self._work.close()

    def _start(self, claim: C) -> None:
        self._runs[claim.lease] = None
        task = asyncio.create_task(self._run(claim))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, claim: C) -> None:
        try:
            log = await logs.open(claim.tenant_id)
            # The row is there as soon as it is committed; what was committed with it may not have come to this process yet.
            await log.refresh()
            self._runs[claim.lease] = run = self._work.begin(claim, log)
            await run.run()
        except Exception:
            # Its lease is no longer renewed, so it will be ended as that of a dead host is.
            logger.exception("one of the %s could not be run", self._work.name)
        finally:
            del self._runs[claim.lease]

    async def _renew(self) -> None:
        if time.monotonic() - self._renewed < settings.AHP_LEASE_S / 3:
            return
        asked = dict(self._runs)
        held = await self._work.rows.renew(self._holder, asked)
        self._renewed = time.monotonic()
        for lease in asked.keys() - held:
            run = asked[lease]
            if run is not None:
                run.lose()

    async def _wait(self, seconds: float) -> None:
        if self._tasks and seconds:
            await asyncio.wait(self._tasks, timeout=seconds)


async def run_work(work: Work[C], stop: asyncio.Event) -> None:
    """Do work of this kind until `stop`, then bring it to an end. The logs must have been started."""
    host = Host(work)
    keeping = asyncio.create_task(host.keep_forever())
    # Not cancelled, but left to see `stop`: a claim that was interrupted would hold what nobody runs.
    await host.claim_until(stop)
    await host.finish()
    keeping.cancel()
    await asyncio.gather(keeping, return_exceptions=True)
