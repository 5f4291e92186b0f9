"""Which of a tenant's newest entries are still in memory, for replays and late readers?"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Sequence
from itertools import islice

from ahp_platform.eventlog.entry import ACTION, Entry

MAX_ENTRIES = 20_000
MAX_BYTES = 16 * 1024 * 1024


class Recent:
    """A bounded window that ends at the log's number and has no hole. `base` is the number just before it."""

    def __init__(self, base: int) -> None:
        self.base = base
        self._entries: deque[Entry] = deque()
        self._bytes = 0

    def extend(self, entries: Sequence[Entry]) -> None:
        """Add the next entries and forget the oldest beyond the bounds."""
        self._entries.extend(entries)
        self._bytes += sum(len(e.body) for e in entries)
        while self._entries and (len(self._entries) > MAX_ENTRIES or self._bytes > MAX_BYTES):
            oldest = self._entries.popleft()
            self.base = oldest.seq
            self._bytes -= len(oldest.body)

    def actions(self, seq: int, channels: Collection[str]) -> list[Entry] | None:
        """The actions of these channels above `seq`, or None where the window does not reach back so far."""
        if seq < self.base:
            return None
        skip = max(0, len(self._entries) - (self._entries[-1].seq - seq)) if self._entries else 0
        window = islice(self._entries, skip, None)
        return [e for e in window if e.seq > seq and e.kind == ACTION and e.channel in channels]
