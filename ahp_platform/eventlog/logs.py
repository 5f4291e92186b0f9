"""Which tenants' logs does this process hold, and what keeps them current?

`logs` is the process's registry. It takes what other processes publish, publishes what is committed here, and asks
the database every second whether it has numbers that the layer never told us about. Source: DESIGN.md section 4.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ahp_platform.eventlog import store
from ahp_platform.eventlog.entry import Entry, Origin
from ahp_platform.eventlog.log import TenantLog
from ahp_platform.eventlog.pool import close_pool, fetch
from ahp_platform.eventlog.view import Consequences, State, View
from ahp_platform.fanout import groups
from ahp_platform.fanout.hub import Message, hub

logger = logging.getLogger(__name__)

CHECK_EVERY_S = 1.0
ANSWER_WITHIN_S = 5.0

# Bodies travel on the layer while a batch is small; else readers fetch it from the log.
MAX_LAYER_BYTES = 256 * 1024

ENSURE_CLOCK = """
WITH made AS (
    INSERT INTO eventlog_tenantclock (tenant_id, seq, floor) SELECT id, 0, 0 FROM auth_app_tenant WHERE id = %s
    ON CONFLICT DO NOTHING
)
SELECT slug FROM auth_app_tenant WHERE id = %s
"""


def nothing_follows(view: View, channel: str, before: State, after: State, action: Mapping[str, Any]) -> None:
    """The consequences of a process that was not told any."""


def nobody_listens(log: TenantLog, entries: Sequence[Entry]) -> None:
    """What is done after a commit in a process that was not told anything."""


class Logs:
    """The tenant logs of this process, opened on first use."""

    def __init__(self) -> None:
        self._logs: dict[int, TenantLog] = {}
        self._opening: dict[int, asyncio.Task[TenantLog]] = {}
        self._consequences: Consequences = nothing_follows
        self._after_commit: Callable[[TenantLog, Sequence[Entry]], None] = nobody_listens
        self._checker: asyncio.Task[None] | None = None
        # The loop on which the logs of this process are open.
        self.loop: asyncio.AbstractEventLoop | None = None
        self._asking: asyncio.Task[dict[int, int]] | None = None
        # When the database was first found away, by time.monotonic(); None while it answers.
        self._away_since: float | None = None

    @property
    def database_ok(self) -> bool:
        """Whether the database answered when we last asked it."""
        return self._away_since is None

    def database_away_for(self) -> float:
        """Seconds for which the database has not answered; 0 while it does."""
        return time.monotonic() - self._away_since if self._away_since is not None else 0.0

    def configure(
        self, consequences: Consequences, after_commit: Callable[[TenantLog, Sequence[Entry]], None] = nobody_listens
    ) -> None:
        """Wiring: what derives actions inside a commit, and what is told of each commit made here."""
        self._consequences, self._after_commit = consequences, after_commit

    async def start(self) -> None:
        """Listen to the other processes."""
        hub.on("log.batch", self._received)
        await hub.start()
        self.loop = asyncio.get_running_loop()
        self._checker = asyncio.create_task(self._check())

    async def stop(self) -> None:
        """Finish what was submitted, then let go of everything."""
        if self._checker:
            self._checker.cancel()
            await asyncio.gather(self._checker, return_exceptions=True)
        await asyncio.gather(*(log.drain() for log in self._logs.values()))
        self._logs.clear()
        self.loop = None
        await hub.stop()
        await close_pool()

    async def open(self, tenant_id: int) -> TenantLog:
        """The tenant's log; raises `LookupError` where there is no such tenant."""
        found = self._logs.get(tenant_id)
        if found is not None:
            return found
        task = self._opening.get(tenant_id)
        if task is None:
            task = self._opening[tenant_id] = asyncio.create_task(self._open(tenant_id))
            task.add_done_callback(lambda _: self._opening.pop(tenant_id, None))
        return await asyncio.shield(task)

    def __iter__(self) -> Any:
        return iter(tuple(self._logs.values()))

    async def _open(self, tenant_id: int) -> TenantLog:
        # Join first: what is published while we read the clock must not be missed.
        await hub.joined(groups.of_tenant(tenant_id))
        rows = await fetch(ENSURE_CLOCK, (tenant_id, tenant_id), tenant=tenant_id)
        if not rows:
            raise LookupError(f"no tenant {tenant_id}")
        seq, _ = await store.clock(tenant_id)
        log = TenantLog(tenant_id, rows[0][0], seq, self._consequences, self._committed)
        self._logs[tenant_id] = log
        return log

    def _committed(self, log: TenantLog, entries: Sequence[Entry]) -> None:
        message: dict[str, Any] = {"type": "log.batch", "tenant": log.tenant_id, "last": entries[-1].seq}
        if sum(len(e.body) for e in entries) <= MAX_LAYER_BYTES:
            message |= {"now": entries[0].now_ms, "entries": [_packed(e) for e in entries]}
        hub.publish(groups.of_tenant(log.tenant_id), message)
        self._after_commit(log, entries)

    def _received(self, message: Message) -> None:
        log = self._logs.get(message["tenant"])
        if log is not None and message["last"] > log.seq:
            log.receive(_unpacked(message), message["last"])

    async def _check(self) -> None:
        while True:
            await asyncio.sleep(CHECK_EVERY_S)
            try:
                await hub.check()
                for tenant_id, seq in (await self._ask()).items():
                    if tenant_id in self._logs:
                        self._logs[tenant_id].receive((), seq)
                self._away_since = None
            except Exception as error:  # noqa: BLE001 - whatever it is, the next second looks again
                if self._away_since is None:
                    logger.warning("the database is away: %s", type(error).__name__)
                    self._away_since = time.monotonic()

    async def _ask(self) -> dict[int, int]:
        """What the clocks show; raises `TimeoutError` where the database accepts the question and does not answer."""
        if self._asking is None:
            self._asking = asyncio.create_task(store.clocks(list(self._logs)))
        # Not cancelled: psycopg would wait for the server to confirm, which is what it does not do.
        await asyncio.wait({self._asking}, timeout=ANSWER_WITHIN_S)
        if not self._asking.done():
            raise TimeoutError
        asked, self._asking = self._asking, None
        return asked.result()


def _packed(entry: Entry) -> list[Any]:
    origin = list(entry.origin) if entry.origin else None
    readers = list(entry.readers) if entry.readers is not None else None
    return [entry.seq, entry.kind, entry.channel, entry.body, origin, entry.user_id, readers]


def _unpacked(message: Mapping[str, Any]) -> list[Entry]:
    return [
        Entry(seq, kind, channel, body, Origin(*origin) if origin else None, user_id, readers, message["now"])
        for seq, kind, channel, body, origin, user_id, readers in message.get("entries", ())
    ]


logs = Logs()
