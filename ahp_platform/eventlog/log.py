"""What does this process know of one tenant's log, and how does everything get in and out of it?

A `TenantLog` is the tail of the tenant's log in this process: it takes entries strictly in order, from its own
commits, from the layer's messages and, where those leave a gap, from the database; it keeps states current and hands
every entry to the readers of its channel. Appending, live fan-out, snapshots and replays all go through it, so they
cannot disagree. Source: DESIGN.md 3 and 4.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

from ahp_platform.eventlog import store
from ahp_platform.eventlog.batch import Outcome, Plan
from ahp_platform.eventlog.cache import ChannelCache, Since, loaded_since
from ahp_platform.eventlog.commit import Committer
from ahp_platform.eventlog.entry import CLOSED, Entry, Origin
from ahp_platform.eventlog.feed import Feed
from ahp_platform.eventlog.followers import Followers, Reader
from ahp_platform.eventlog.pool import TenantConnection
from ahp_platform.eventlog.recent import Recent
from ahp_platform.eventlog.view import ChannelView, Consequences, NeedsChannel, Readers, State, View
from ahp_platform.protocol.errors import NotFound

READ_AT_ONCE = 2_000


class TenantLog:
    """One tenant's log in this process. `seq` is the highest number known here; all states are as of it."""

    def __init__(
        self,
        tenant_id: int,
        slug: str,
        seq: int,
        consequences: Consequences,
        publish: Callable[[TenantLog, Sequence[Entry]], None],
    ) -> None:
        self.tenant_id, self.slug, self.seq = tenant_id, slug, seq
        # Rows up to this number are no longer kept for replay, as of the last `refresh`.
        self.floor = 0
        self.cache = ChannelCache()
        self.recent = Recent(seq)
        # Counts changes of who may read what: connections check their subscriptions again when it moves.
        self.readers_changed = 0
        self._consequences, self._publish = consequences, publish
        self._followers = Followers(self.belongs)
        self._loading: dict[str, asyncio.Task[None]] = {}
        self._catching_up: asyncio.Task[None] | None = None
        self._refreshing: list[asyncio.Task[None]] = []
        self._last_ms = 0
        self._announced = seq
        self._committer = Committer(self)

    # ---- reading

    async def channel(self, uri: str) -> ChannelView:
        """The channel at `seq`; raises `NotFound`."""
        await self.ensure(uri)
        return self.peek(uri)

    async def state(self, uri: str) -> State:
        """The channel's state at `seq`; raises `NotFound`."""
        return (await self.channel(uri)).state

    def peek(self, uri: str) -> ChannelView:
        """The channel at `seq` without waiting; raises `NotFound`, or `NeedsChannel` where `ensure` was not awaited
        before.
        """
        found = self.cache.peek(uri)
        if found is None:
            raise NotFound("No such channel")
        return found

    def view(self) -> View:
        """A view to look through, as plans have it."""
        return View(self.tenant_id, self.cache.peek, self._consequences, self.now_ms())

    async def readers_of(self, uri: str) -> Readers:
        """Who may read the channel (None: the tenant); raises `NotFound`."""
        while True:
            try:
                return self.view().readers(uri)
            except NeedsChannel as needed:
                await self.ensure(needed.uri)

    async def ensure(self, uri: str) -> None:
        """Wait until `peek` knows about this channel."""
        while True:
            try:
                self.cache.peek(uri)
                return
            except NeedsChannel:
                task = self._loading.get(uri)
                if task is None:
                    task = self._loading[uri] = asyncio.create_task(self._load(uri))
                    task.add_done_callback(partial(self._loaded, uri))
                await asyncio.shield(task)

    async def _load(self, uri: str) -> None:
        self.cache.expect(uri)
        seq, loaded = await store.load(self.tenant_id, uri)
        if seq > self.seq:
            await self.catch_up()
        self.cache.arrived(uri, seq, loaded)

    def _loaded(self, uri: str, _: asyncio.Task[None]) -> None:
        del self._loading[uri]

    async def load_locked(self, uri: str, conn: TenantConnection) -> None:
        """Load inside a transaction that holds the clock and has caught up: what is read is the state at `seq`."""
        _, loaded = await store.load(self.tenant_id, uri, conn)
        self.cache.store(uri, loaded.view if loaded else None, loaded_since(loaded))

    def belongs(self, uri: str, session: str) -> bool:
        """Whether a channel is a session or belongs to it; yes where it is not in memory, for it may."""
        try:
            found = self.cache.peek(uri)
        except NeedsChannel:
            return True
        return uri == session or (found is not None and found.parent == session)

    # ---- writing

    async def append(self, plan: Plan, origin: Origin | None = None, user_id: int | None = None) -> Outcome:
        """Run a plan and commit what it wants; raises `Refused` or a `ProtocolError` where the plan does."""
        return await self.submit(plan, origin, user_id)

    def submit(self, plan: Plan, origin: Origin | None = None, user_id: int | None = None) -> asyncio.Future[Outcome]:
        """As `append`, without waiting: plans of one process are run in the order in which they were submitted."""
        return self._committer.submit(plan, origin, user_id)

    async def emit(self, uri: str, *actions: dict[str, Any], user_id: int | None = None) -> Outcome:
        """Append actions of ours to a channel; those that no longer fit are dropped, also when the channel is gone."""

        def plan(view: View) -> None:
            for action in actions:
                if view.exists(uri):
                    view.act(uri, action)

        return await self.append(plan, user_id=user_id)

    def now_ms(self) -> int:
        """The recorded time of a batch: milliseconds since the epoch, never falling within this process."""
        self._last_ms = max(self._last_ms, int(time.time() * 1000))
        return self._last_ms

    @property
    def consequences(self) -> Consequences:
        """What derives actions from changes."""
        return self._consequences

    async def drain(self) -> None:
        """Wait until everything submitted so far has been decided."""
        await self._committer.drain()

    # ---- following

    def register(self, uri: str, reader: Reader) -> None:
        """From the next entry on, hand the channel's entries to the reader."""
        self._followers.add(uri, reader)

    def unregister(self, uri: str, reader: Reader) -> None:
        """No more entries of this channel to the reader."""
        self._followers.remove(uri, reader)

    def is_followed(self, uri: str) -> bool:
        """Whether anybody in this process gets the channel's entries."""
        return uri in self._followers

    def when_left(self, call: Callable[[str], None]) -> None:
        """Call with every channel whose last reader in this process has gone; must not block."""
        self._followers.left = call

    def follow(self, uri: str) -> Feed:
        """An async context manager: the channel's state, then its entries as they come."""
        return Feed(self, uri)

    @property
    def in_use(self) -> bool:
        """Whether anybody here follows the tenant or writes to it."""
        return bool(self._followers or self._loading) or self._committer.busy

    # ---- taking entries

    def committed(self, entries: Sequence[Entry], states: Mapping[str, tuple[ChannelView | None, Since]]) -> None:
        """Take our own commit, whose states we have reduced already, deliver it and publish it."""
        news = [e for e in entries if e.seq > self.seq]
        if len(news) == len(entries):
            self._advance(news, states)
        elif news:
            self._advance(news)  # a catch-up has read the first of them from the database
        self._publish(self, entries)

    def idle(self) -> None:
        """The committer has nothing left: look after a gap that opened while it was busy."""
        if self._announced > self.seq:
            self.behind()

    def receive(self, entries: Sequence[Entry], last: int) -> None:
        """Take what another process published; `entries` is empty where the batch was too big for the layer."""
        self._announced = max(self._announced, last)
        news = [e for e in entries if e.seq > self.seq]
        if news and news[0].seq == self.seq + 1:
            self._advance(news)
        elif last > self.seq:
            self.behind()

    async def refresh(self) -> None:
        """Wait until `seq` and `floor` are as new as the database was when this was called.

        One look serves everybody who asks before it begins: a storm of reconnecting clients costs a few looks, not one each.
        """
        if len(self._refreshing) < 2:
            before = self._refreshing[-1:]
            self._refreshing.append(asyncio.create_task(self._refresh(before)))
        await asyncio.shield(self._refreshing[-1])

    async def _refresh(self, before: list[asyncio.Task[None]]) -> None:
        try:
            if before:
                await asyncio.wait(before)
            seq, self.floor = await store.clock(self.tenant_id)
            if seq > self.seq:
                await self.catch_up()
        finally:
            self._refreshing.pop(0)

    def behind(self) -> None:
        """The log has numbers that we have not seen: read them."""
        if self._catching_up is None and not self._committer.busy:
            self._catching_up = asyncio.create_task(self._catch_up_later())

    async def _catch_up_later(self) -> None:
        try:
            await self.catch_up()
        finally:
            self._catching_up = None

    async def catch_up(self, conn: TenantConnection | None = None) -> None:
        """Take everything that the database has above `seq`."""
        while True:
            entries = await store.after(self.tenant_id, self.seq, READ_AT_ONCE, conn)
            # While we read, the same entries may have come by another way.
            news = [e for e in entries if e.seq > self.seq]
            if news and news[0].seq == self.seq + 1:
                self._advance(news)
            elif news:
                self._start_over(news)
            if len(entries) < READ_AT_ONCE:
                return

    def _start_over(self, entries: Sequence[Entry]) -> None:
        # Rows between our number and these were removed (retention, or a restored database): states must be read again.
        self.cache = ChannelCache()
        self.recent = Recent(entries[0].seq - 1)
        self.seq = entries[0].seq - 1
        self._advance(entries)

    def _advance(
        self, entries: Sequence[Entry], states: Mapping[str, tuple[ChannelView | None, Since]] = MappingProxyType({})
    ) -> None:
        self.seq = entries[-1].seq
        self.recent.extend(entries)
        self.cache.ingest(entries)
        for uri, (view, since) in states.items():
            self.cache.store(uri, view, since)
        if any(e.kind >= CLOSED for e in entries):
            self.readers_changed += 1
        self._followers.deliver(entries)
