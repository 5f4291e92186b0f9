"""Who in this process follows which channels of a tenant, and how do they get their entries?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from typing import Protocol

from ahp_platform.eventlog.entry import READERS, Entry


class Reader(Protocol):
    """Somebody who gets the entries of the channels they are registered for, in order."""

    def push(self, entries: Sequence[Entry]) -> None:
        """Called in the log's own turn: must not block and must not raise."""


def nobody_minds(uri: str) -> None:
    """Nobody wants to hear of channels that are left."""


class Followers:
    """The readers of each channel.

    `left` is called with a channel when its last reader has gone; `belongs` says whether a channel is a session or belongs to
    it: who follows a chat must hear when its session is closed to some.
    """

    def __init__(self, belongs: Callable[[str, str], bool]) -> None:
        self._belongs = belongs
        self._of: defaultdict[str, set[Reader]] = defaultdict(set)
        self.left: Callable[[str], None] = nobody_minds

    def __contains__(self, uri: str) -> bool:
        return uri in self._of

    def __bool__(self) -> bool:
        return bool(self._of)

    def add(self, uri: str, reader: Reader) -> None:
        """The reader follows the channel."""
        self._of[uri].add(reader)

    def remove(self, uri: str, reader: Reader) -> None:
        """The reader follows the channel no longer."""
        readers = self._of.get(uri)
        if readers is not None:
            readers.discard(reader)
            if not readers:
                del self._of[uri]
                self.left(uri)

    def deliver(self, entries: Sequence[Entry]) -> None:
        """Hand each reader its entries, in order and in one run."""
        by_channel: dict[str, list[Entry]] = {}
        for entry in entries:
            if entry.kind == READERS:
                for uri in [uri for uri in self._of if self._belongs(uri, entry.channel)]:
                    by_channel.setdefault(uri, []).append(entry)
            elif entry.channel in self._of:
                by_channel.setdefault(entry.channel, []).append(entry)
        if len(by_channel) == 1:
            ((uri, run),) = by_channel.items()
            for reader in tuple(self._of[uri]):
                reader.push(run)
            return
        channels_of: defaultdict[Reader, list[str]] = defaultdict(list)
        for uri in by_channel:
            for reader in self._of[uri]:
                channels_of[reader].append(uri)
        merged: dict[tuple[str, ...], list[Entry]] = {}
        for reader, uris in channels_of.items():
            key = tuple(uris)
            if key not in merged:
                merged[key] = _in_order([by_channel[uri] for uri in uris])
            reader.push(merged[key])


def _in_order(runs: Collection[list[Entry]]) -> list[Entry]:
    if len(runs) == 1:
        return next(iter(runs))
    return sorted((entry for run in runs for entry in run), key=lambda e: e.seq)
