"""What does a client that comes back get of what it missed?

Whoever watched the same channels until the same moment missed the same: in a storm of reconnects the text is made once. Source:
PROTOCOL.md section 3.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from ahp_platform.eventlog import store
from ahp_platform.eventlog.entry import Entry
from ahp_platform.eventlog.log import TenantLog
from ahp_platform.rpc import wire

# Texts that are kept for whoever comes next, in bytes of this process.
KEPT_BYTES = 16 * 1024 * 1024


class Missed(NamedTuple):
    """What a client of this protocol version missed between two numbers on channels that it may read."""

    tenant_id: int
    seen: int
    now: int
    channels: tuple[str, ...]
    version: str


class Texts:
    """The latest replays, bounded in bytes."""

    def __init__(self, limit: int) -> None:
        self._limit, self._bytes = limit, 0
        self._texts: OrderedDict[Missed, bytes] = OrderedDict()

    def get(self, key: Missed) -> bytes | None:
        """The text of a replay, if it is still there."""
        if key in self._texts:
            self._texts.move_to_end(key)
        return self._texts.get(key)

    def put(self, key: Missed, text: bytes) -> None:
        """Keep it, and forget the oldest beyond the bound."""
        self._bytes += len(text) - len(self._texts.pop(key, b""))
        self._texts[key] = text
        while self._bytes > self._limit:
            _, oldest = self._texts.popitem(last=False)
            self._bytes -= len(oldest)


_texts = Texts(KEPT_BYTES)


async def replay(log: TenantLog, seen: float, channels: Sequence[str], version: str) -> msgspec.Raw | None:
    """The `ActionEnvelope`s of these channels above `seen`, as of `log.seq` now; None where only snapshots can tell."""
    if not log.floor <= seen <= log.seq or seen != int(seen):
        return None
    key = Missed(log.tenant_id, int(seen), log.seq, tuple(channels), version)
    text = _texts.get(key)
    if text is None:
        missed = await _missed(log, int(seen), channels)
        view = log.view()
        # The state of a channel that is gone, or younger than what the client has seen, is not one that a replay completes.
        if missed is None or any(not view.exists(uri) or view.channel(uri).born > seen for uri in channels):
            return None
        text = _envelopes(version, missed)
        _texts.put(key._replace(now=log.seq), text)
    return msgspec.Raw(text)


async def _missed(log: TenantLog, seen: int, channels: Sequence[str]) -> list[Entry] | None:
    known, stored = seen, list[Entry]()
    if known < log.recent.base:
        known = log.seq
        stored = await store.replay(log.tenant_id, seen, known, channels)
    later = log.recent.actions(known, set(channels))
    return None if later is None else stored + later


def _envelopes(version: str, entries: Sequence[Entry]) -> bytes:
    texts = (wire.envelope(version, entry) for entry in entries)
    return b"[" + ",".join(text for text in texts if text is not None).encode() + b"]"
