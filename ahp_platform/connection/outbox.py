"""How do frames get out of one connection without anybody waiting for a slow reader?

An outbox is one queue and one writer task, the only sender on the socket. Runs of entries are shared with the
outboxes of all other readers of the channel; what waits is bounded in bytes, and beyond the bound the connection is
given up (1013): the client comes back and replays. Source: DESIGN.md section 4, PROTOCOL.md section 4.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Sequence

from ahp_platform.connection.coalesce import coalesce, joinable
from ahp_platform.connection.edge import Edge
from ahp_platform.eventlog.entry import Entry
from ahp_platform.protocol.jsonrpc import BigFrame, Frame

# With so many entries waiting the reader is behind, and adjacent deltas are joined even if it did not ask for it.
BEHIND = 256

# What replies may take beyond the bound: a client may have several big files read at once.
REPLIES_BYTES = 64 * 1024 * 1024

SLOW_READER_CLOSE = 1013

Send = Callable[[dict[str, object]], Awaitable[None]]


class Close(Exception):
    """The connection is to be closed, after what was put before."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code, self.reason = code, reason


class Outbox:
    """What is on its way to one socket."""

    def __init__(self, send: Send, edge: Edge, limit_bytes: int) -> None:
        self._send, self._edge, self._limit = send, edge, limit_bytes
        self._queue: deque[Frame | Sequence[Entry] | Close] = deque()
        self._waiting_bytes = 0
        self._waiting_entries = 0
        self._wake = asyncio.Event()
        # When the oldest entry that may be held back must leave, by time.monotonic(); None: nothing is held back.
        self._hold_until: float | None = None
        self.overflowed = asyncio.Event()

    def push(self, entries: Sequence[Entry]) -> None:
        """Queue a run of entries that the log hands to this reader."""
        if self._edge.holds_back:
            self._hold(entries)
        self._waiting_entries += len(entries)
        self._add(entries, sum(len(e.body) for e in entries))

    def put(self, frame: Frame) -> None:
        """Queue a frame for this connection alone."""
        self._hold_until = None
        self._add(frame, len(frame))

    def close(self, code: int, reason: str) -> None:
        """Close the socket after everything queued so far."""
        self._hold_until = None
        self._add(Close(code, reason), 0)

    def _add(self, item: Frame | Sequence[Entry] | Close, size: int) -> None:
        # A single frame may be larger than the bound, and replies are as many as a client asked for; what must not grow
        # without end is what waits behind them.
        allowed = self._limit if not isinstance(item, (str, BigFrame)) else self._limit + REPLIES_BYTES
        if self._waiting_bytes > allowed:
            self._queue.clear()
            self.overflowed.set()
            return
        self._queue.append(item)
        self._waiting_bytes += size
        self._wake.set()

    def _hold(self, entries: Sequence[Entry]) -> None:
        latency_s = min(self._edge.latency_s(e) if joinable(e) else 0.0 for e in entries)
        if not latency_s:
            self._hold_until = None
        elif not self._queue:
            self._hold_until = time.monotonic() + latency_s
        elif self._hold_until is not None:
            self._hold_until = min(self._hold_until, time.monotonic() + latency_s)

    async def run(self) -> None:
        """Send until cancelled; raises `Close` where the connection is to be closed."""
        while True:
            if not self._queue:
                self._wake.clear()
                await self._wake.wait()
            if self._hold_until is not None:
                await self._held_back()
            await self._send_first()

    async def _send_first(self) -> None:
        # Not in `run`, which would hold on to the last frame, however big, while it waits for the next.
        item = self._queue.popleft()
        if isinstance(item, Close):
            raise item
        if isinstance(item, (str, BigFrame)):
            self._waiting_bytes -= len(item)
            await self._send({"type": "websocket.send", "text": item})
        else:
            await self._send_entries(item)

    async def _held_back(self) -> None:
        while self._hold_until is not None and (left := self._hold_until - time.monotonic()) > 0:
            self._wake.clear()
            try:
                await asyncio.wait_for(self._wake.wait(), left)
            except TimeoutError:
                break
        self._hold_until = None

    async def _send_entries(self, first: Sequence[Entry]) -> None:
        entries = first
        joining = self._edge.holds_back or self._waiting_entries > BEHIND
        if joining:
            entries = list(first)
            while self._queue and not isinstance(self._queue[0], (str, BigFrame, Close)):
                entries.extend(self._queue.popleft())  # type: ignore[arg-type]
        size, count = sum(len(e.body) for e in entries), len(entries)
        if joining:
            entries = coalesce(e for e in entries if self._edge.wants(e))
        self._waiting_entries -= count
        for entry in entries:
            # Asked for each one anew: the client may unsubscribe while we wait for its socket.
            if self._edge.has_windows and (older := self._edge.older_turns(entry)) is not None:
                await self._send({"type": "websocket.send", "text": older})
            text = self._edge.frame(entry)
            if text is not None:
                await self._send({"type": "websocket.send", "text": text})
        self._waiting_bytes -= size
