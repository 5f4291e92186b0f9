"""How do the writes of one process to one tenant become batches in the log?

One commit is in flight at a time; what gathers meanwhile is the next batch (group commit). Plans are run against the
states at our number and committed only if the clock still stands there. If somebody else wrote first, we catch up and
run the plans again, this time holding the clock, so that progress is certain. Source: DESIGN.md section 3.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

from psycopg import OperationalError

from ahp_platform.eventlog import sql, store
from ahp_platform.eventlog.batch import Batch, Outcome, Plan, Submitted
from ahp_platform.eventlog.entry import Origin
from ahp_platform.eventlog.held import HeldConnection
from ahp_platform.eventlog.pool import TenantConnection
from ahp_platform.eventlog.view import NeedsChannel

if TYPE_CHECKING:
    from ahp_platform.eventlog.log import TenantLog

logger = logging.getLogger(__name__)

MAX_PLANS = 1_000
MAX_STARTS = 10_000

# A database that is away this long fails what waits for it (-32603); a restart of it takes less.
GIVE_UP_AFTER_S = 5.0
RETRY_EVERY_S = 0.1


class Committer:
    """The queue of one tenant's plans in this process, and the task that commits them."""

    def __init__(self, tenant: TenantLog) -> None:
        self._log = tenant
        self._queue: deque[Submitted] = deque()
        self._task: asyncio.Task[None] | None = None
        self._batch: Batch | None = None
        self._held = HeldConnection()

    @property
    def busy(self) -> bool:
        """Whether a commit is in flight."""
        return self._task is not None

    def submit(self, plan: Plan, origin: Origin | None, user_id: int | None) -> asyncio.Future[Outcome]:
        """Queue a plan; the future resolves after its commit has been delivered here."""
        future: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self._queue.append(Submitted(plan, origin, user_id, future))
        if self._task is None:
            self._task = asyncio.create_task(self._work())
        return future

    async def drain(self) -> None:
        """Wait until the queue is empty, and let go of the connection."""
        while self._task is not None:
            await asyncio.wait([self._task])
        await self._held.close()

    async def _work(self) -> None:
        try:
            while self._queue:
                waiting = [self._queue.popleft() for _ in range(min(len(self._queue), MAX_PLANS))]
                await self._commit_or_fail(waiting)
        finally:
            self._task = None
            self._log.idle()

    async def _commit_or_fail(self, waiting: Sequence[Submitted]) -> None:
        try:
            await self._commit(waiting)
        except Exception as error:
            if len(waiting) > 1 and not isinstance(error, OperationalError):
                # One plan's statement failed and took the batch along: the others have done nothing wrong.
                for each in waiting:
                    await self._commit_or_fail([each])
                return
            logger.exception("a commit to %s failed", self._log.slug)
            for each in waiting:
                if not each.future.done():
                    each.future.set_exception(error)

    async def _commit(self, waiting: Sequence[Submitted]) -> None:
        deadline = asyncio.get_running_loop().time() + GIVE_UP_AFTER_S
        dispatched: set[Origin] = set()
        attempt = self._optimistic_attempt
        while True:
            self._batch = None
            try:
                await attempt(waiting, dispatched)
                return self._finish(waiting)
            except store.Behind:
                attempt = self._locked_attempt
            except store.AlreadyDispatched:
                origins = [each.origin for each in waiting if each.origin]
                dispatched |= await store.dispatched(self._log.tenant_id, origins)
            except OperationalError:
                landed = await self._landed(deadline)
                if landed is None:
                    raise
                if landed:
                    return self._finish(waiting)

    async def _run(
        self, waiting: Sequence[Submitted], dispatched: set[Origin], conn: TenantConnection | None = None
    ) -> Batch:
        """Run the plans at our number; loading what they need may take several starts."""
        for _ in range(MAX_STARTS):
            batch = Batch(self._log.tenant_id, self._log.seq, self._log.now_ms(), self._log.cache, dispatched)
            try:
                for each in waiting:
                    batch.run(each, self._log.consequences)
            except NeedsChannel as needed:
                if conn is None:
                    await self._log.ensure(needed.uri)
                else:
                    await self._log.load_locked(needed.uri, conn)
            else:
                self._batch = batch
                return batch
        raise RuntimeError("a plan asks for ever more channels: does it make URIs itself?")

    async def _optimistic_attempt(self, waiting: Sequence[Submitted], dispatched: set[Origin]) -> None:
        batch = await self._run(waiting, dispatched)
        if not batch.events:
            # Nothing to write, but "refused" and "unchanged" must not be judged by an old state.
            if (await store.clock(batch.tenant_id))[0] != batch.expected:
                raise store.Behind
            return
        async with self._held.use() as conn:
            await self._write(conn, batch)

    async def _locked_attempt(self, waiting: Sequence[Submitted], dispatched: set[Origin]) -> None:
        async with self._held.use() as conn, _transaction(conn, self._log.tenant_id):
            # Lock first: from here on nobody else can write, so what we run the plans on is what we commit on.
            await conn.execute(sql.LOCK_CLOCK, (self._log.tenant_id,))
            await self._log.catch_up(conn)
            batch = await self._run(waiting, dispatched, conn)
            if batch.events:
                await self._write(conn, batch)

    async def _write(self, conn: TenantConnection, batch: Batch) -> None:
        statements = batch.finish()
        await store.commit(conn, batch.tenant_id, batch.expected, batch.events, statements, batch.now_ms)

    async def _landed(self, deadline: float) -> bool | None:
        """After a broken connection: did the commit happen although nobody told us? None where that cannot be known in time."""
        batch = self._batch
        while asyncio.get_running_loop().time() <= deadline:
            await asyncio.sleep(RETRY_EVERY_S)
            if batch is None or not batch.events:
                return False
            with suppress(OperationalError):
                entries = await store.after(batch.tenant_id, batch.expected, len(batch.events))
                return [(e.channel, e.body) for e in entries] == [(e.channel, e.body) for e in batch.events]
        return None

    def _finish(self, waiting: Sequence[Submitted]) -> None:
        if self._batch is not None and self._batch.events:
            self._log.committed(self._batch.entries(), self._batch.states())
        for each in waiting:
            if each.future.done():
                continue
            if each.error is not None:
                each.future.set_exception(each.error)
            else:
                each.future.set_result(Outcome(each.status, each.seq or self._log.seq))


@asynccontextmanager
async def _transaction(conn: TenantConnection, tenant_id: int) -> AsyncIterator[None]:
    await conn.show(tenant_id)
    async with conn.transaction():
        yield
