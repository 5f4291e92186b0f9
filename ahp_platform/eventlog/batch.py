"""What do several plans come to when they are run one after another at one number?"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from ahp_platform.eventlog import sql, store
from ahp_platform.eventlog.cache import ChannelCache, Since
from ahp_platform.eventlog.entry import ACTION, CLOSED, OPENED, READERS, Entry, Origin
from ahp_platform.eventlog.view import ChannelView, Consequences, Draft, Event, NeedsChannel, Refused, View
from ahp_platform.protocol.errors import ProtocolError

logger = logging.getLogger(__name__)

# A channel gets a checkpoint after this many actions, or this many characters of them, so that loading it stays cheap; but not before
# it has grown by as much as its last checkpoint was long, so that checkpoints cost no more than what they save.
CHECKPOINT_EVERY = 500
CHECKPOINT_GROWN = 4 * 1024 * 1024


Plan = Callable[[View], None]
Status = Literal["applied", "unchanged", "duplicate"]


class Outcome(NamedTuple):
    """What became of a plan: `seq` is the number of its last row, or the current one where it wrote none."""

    status: Status
    seq: int


@dataclass(slots=True)
class Submitted:
    """A plan, who submitted it and, once it has run, what it came to."""

    plan: Plan
    origin: Origin | None
    user_id: int | None
    future: asyncio.Future[Outcome]
    status: Status = "unchanged"
    seq: int | None = None
    error: Exception | None = None


class Batch:
    """The events, statements and new states of plans run at number `expected`."""

    def __init__(
        self, tenant_id: int, expected: int, now_ms: int, cache: ChannelCache, dispatched: Iterable[Origin] = ()
    ) -> None:
        self.tenant_id, self.expected, self.now_ms = tenant_id, expected, now_ms
        self._dispatched = set(dispatched)
        self.events: list[Event] = []
        self._statements: list[store.Statement] = []
        self._channels: dict[str, ChannelView | None] = {}
        self._cache = cache
        # The sizes of the checkpoints that the batch writes.
        self._checkpointed: dict[str, int] = {}
        self._grown_to: dict[str, Since] = {}
        self._actions: Counter[str] = Counter()
        self._grown: Counter[str] = Counter()

    def run(self, each: Submitted, consequences: Consequences) -> None:
        """Run one plan on top of the earlier ones; a plan that fails leaves nothing behind."""
        each.error, each.seq, each.status = None, None, "unchanged"
        if each.origin in self._dispatched:
            each.status = "duplicate"
            return
        view = View(self.tenant_id, self._find, consequences, self.now_ms, each.origin, each.user_id)
        try:
            each.plan(view)
        except NeedsChannel:
            raise
        except (Refused, ProtocolError) as error:
            each.error = error
        except Exception as error:
            logger.exception("a plan failed")
            each.error = error
        else:
            self._merge(view.draft, each)

    def _find(self, uri: str) -> ChannelView | None:
        if uri in self._channels:
            return self._channels[uri]
        return self._cache.peek(uri)

    def _merge(self, draft: Draft, each: Submitted) -> None:
        self._channels.update(draft.channels)
        self.events += draft.events
        for event in draft.events:
            if event.kind == ACTION:
                self._actions[event.channel] += 1
                self._grown[event.channel] += len(event.body)
        self._statements += draft.statements
        if draft.events:
            each.status, each.seq = "applied", self.expected + len(self.events)
        if each.origin and any(e.origin for e in draft.events):
            self._dispatched.add(each.origin)

    def finish(self) -> list[store.Statement]:
        """The statements that go with the events: the plans' own, births and deaths, segments and checkpoints."""
        last = self.expected + len(self.events)
        statements = self._lifecycle(last)
        for uri in self._actions:
            statements += self._checkpoint(uri, last)
        return statements + self._statements

    def _lifecycle(self, last: int) -> list[store.Statement]:
        statements: list[store.Statement] = []
        for event in self.events:
            uri, key = event.channel, (self.tenant_id, event.channel)
            if event.kind == OPENED and (view := self._channels[uri]):
                text = store.checkpoint_text(view.kind, view.state)
                opened = view.opened_by, view.opened_ms, last, last
                statements.append((sql.OPEN_CHANNEL, (*key, view.kind, view.parent, view.readers, *opened, text)))
                statements += self._segments(uri, view, ())
                self._checkpointed[uri] = len(text)
            elif event.kind == CLOSED:
                statements.append((sql.CLOSE_CHANNEL, key))
                statements.append((sql.DROP_SEGMENTS, (*key, 0)))
            elif event.kind == READERS and (view := self._channels[uri]):
                statements.append((sql.SET_READERS, (view.readers, *key)))
        return statements

    def _checkpoint(self, uri: str, last: int) -> list[store.Statement]:
        view = self._channels[uri]
        if view is None or uri in self._checkpointed:
            return []
        segments: list[store.Statement] = []
        if view.kind in store.SEGMENTED:
            before = self._cache.peek(uri)
            segments = self._segments(uri, view, _listed(before) if before else ())
        since = self._grown_to[uri] = self._cache.since_checkpoint(uri).after(self._actions[uri], self._grown[uri])
        is_long = since.actions >= CHECKPOINT_EVERY or since.grown >= CHECKPOINT_GROWN
        if not segments and (not is_long or since.grown < since.size):
            return []
        text = store.checkpoint_text(view.kind, view.state)
        self._checkpointed[uri] = len(text)
        return [*segments, (sql.CHECKPOINT, (text, last, self.tenant_id, uri))]

    def _segments(self, uri: str, view: ChannelView, before: Sequence[object]) -> list[store.Statement]:
        now = _listed(view)
        return [] if now is before else store.segment_statements(self.tenant_id, uri, before, now)

    def states(self) -> dict[str, tuple[ChannelView | None, Since]]:
        """The channels that changed, with what they have had since their checkpoint."""
        last = self.expected + len(self.events)
        opened = {e.channel for e in self.events if e.kind == OPENED}
        return {
            uri: (replace(view, born=last) if view and uri in opened else view, self._since_commit(uri))
            for uri, view in self._channels.items()
        }

    def _since_commit(self, uri: str) -> Since:
        if uri in self._checkpointed:
            return Since(size=self._checkpointed[uri])
        if self._channels[uri] is None:
            return Since()
        return self._grown_to.get(uri) or self._cache.since_checkpoint(uri)

    def entries(self) -> list[Entry]:
        """The events as numbered entries."""
        return [_entry(event, self.expected + offset, self.now_ms) for offset, event in enumerate(self.events, start=1)]


def _listed(view: ChannelView) -> Sequence[object]:
    name = store.SEGMENTED.get(view.kind)
    return view.state.get(name, ()) if name else ()


def _entry(event: Event, seq: int, now_ms: int) -> Entry:
    origin, user_id = event.origin, event.user_id
    entry = Entry(seq, event.kind, event.channel, event.body, origin, user_id, event.readers, now_ms)
    if event.action is not None:
        entry.keep_action(event.action)
    return entry
