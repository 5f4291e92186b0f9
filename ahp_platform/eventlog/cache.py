"""Which channel states does this process hold in memory?

Everything here may be forgotten at any time: "not in memory" never means "does not exist". A cached channel is a
state at some number plus the entries that came since; they are reduced when somebody looks.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from ahp_platform.eventlog.entry import ACTION, CLOSED, OPENED, READERS, Entry
from ahp_platform.eventlog.store import SEGMENTED, Loaded
from ahp_platform.eventlog.view import ChannelView, NeedsChannel
from ahp_platform.protocol.channel import reduce

MAX_CHANNELS = 4096
MAX_PENDING = 256


class Since(NamedTuple):
    """What a channel has had since its checkpoint: actions and their bytes; `size` is that of the checkpoint itself."""

    actions: int = 0
    grown: int = 0
    size: int = 0

    def after(self, actions: int, grown: int) -> Since:
        """With so many more."""
        return Since(self.actions + actions, self.grown + grown, self.size)


class Cached:
    """One channel. `view` is None where it is known not to exist."""

    __slots__ = ("pending", "since", "view")

    def __init__(self, view: ChannelView | None, since: Since) -> None:
        self.view, self.since = view, since
        self.pending: list[Entry] = []

    def settle(self) -> ChannelView | None:
        """Reduce what came since the last look."""
        if self.pending and self.view:
            kind, before, state = self.view.kind, self.view.state, self.view.state
            for entry in self.pending:
                state = reduce(kind, state, entry.action, entry.now_ms)
            self.since = self.since.after(len(self.pending), sum(len(e.body) for e in self.pending))
            listed = SEGMENTED.get(kind)
            if listed and state.get(listed) is not before.get(listed):
                self.since = Since(size=self.since.size)  # whoever wrote this has stored a checkpoint with it
            self.view = self.view.with_state(state)
        self.pending.clear()
        return self.view


class ChannelCache:
    """The channels of one tenant, all at the number of its log."""

    def __init__(self) -> None:
        self._channels: OrderedDict[str, Cached] = OrderedDict()
        self._arriving: dict[str, list[Entry]] = {}

    def peek(self, uri: str) -> ChannelView | None:
        """The channel, or None where it does not exist; raises `NeedsChannel` where we do not know."""
        found = self._channels.get(uri)
        if found is None:
            raise NeedsChannel(uri)
        self._channels.move_to_end(uri)
        return found.settle()

    def since_checkpoint(self, uri: str) -> Since:
        """What the channel has had since its checkpoint."""
        return self._channels[uri].since

    def ingest(self, entries: Sequence[Entry]) -> None:
        """Take note of entries, in order."""
        for entry in entries:
            if entry.channel in self._arriving:
                self._arriving[entry.channel].append(entry)
            cached = self._channels.get(entry.channel)
            if cached is not None:
                self._take(cached, entry)

    def _take(self, cached: Cached, entry: Entry) -> None:
        if entry.kind == ACTION:
            cached.pending.append(entry)
            if len(cached.pending) > MAX_PENDING:
                cached.settle()
        elif entry.kind == READERS and cached.view:
            cached.settle()
            cached.view = replace(cached.view, readers=entry.action["readers"])
        elif entry.kind in (OPENED, CLOSED):
            del self._channels[entry.channel]

    def store(self, uri: str, view: ChannelView | None, since: Since) -> None:
        """Keep a channel as it is at the log's number."""
        found = self._channels.get(uri)
        if found is not None:
            found.view, found.since = view, since
            found.pending.clear()
            return
        self._channels[uri] = Cached(view, since)
        while len(self._channels) > MAX_CHANNELS:
            self._channels.popitem(last=False)

    def expect(self, uri: str) -> None:
        """Collect what arrives for a channel while it is being read from the database."""
        self._arriving.setdefault(uri, [])

    def arrived(self, uri: str, seq: int, loaded: Loaded | None) -> bool:
        """Keep what was read at number `seq`; False where the channel was born or closed meanwhile: read it again."""
        newer = [e for e in self._arriving.pop(uri, []) if e.seq > seq]
        if any(e.kind in (OPENED, CLOSED) for e in newer):
            return False
        self.store(uri, loaded.view if loaded else None, loaded_since(loaded))
        for entry in newer:
            self._take(self._channels[uri], entry)
        return True


def loaded_since(loaded: Loaded | None) -> Since:
    """What a channel that was just read has had since its checkpoint."""
    return Since(loaded.since, loaded.grown, loaded.size) if loaded else Since()
