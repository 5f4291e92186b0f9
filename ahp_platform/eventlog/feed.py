"""How does a task of ours follow one channel like any other reader?"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

from ahp_platform.eventlog.entry import ACTION, CLOSED, Entry

if TYPE_CHECKING:
    from ahp_platform.eventlog.log import TenantLog
    from ahp_platform.eventlog.view import State


class Feed:
    """`async with log.follow(uri) as feed`: `feed.state` as of `feed.seq`, then entries until the channel is closed."""

    def __init__(self, log: TenantLog, uri: str) -> None:
        self._log, self._uri = log, uri
        self._entries: deque[Entry] = deque()
        self._arrived = asyncio.Event()
        self._closed = False
        self.state: State = {}
        self.seq = 0

    def push(self, entries: Sequence[Entry]) -> None:
        """Called by the log."""
        self._entries.extend(e for e in entries if e.kind in (ACTION, CLOSED))
        self._arrived.set()

    async def __aenter__(self) -> Self:
        await self._log.ensure(self._uri)
        # No await between the state and the registration: nothing can come between them.
        self.state, self.seq = self._log.peek(self._uri).state, self._log.seq
        self._log.register(self._uri, self)
        return self

    async def __aexit__(self, *_: Any) -> None:
        self._log.unregister(self._uri, self)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Entry:
        while not self._entries:
            if self._closed:
                raise StopAsyncIteration
            self._arrived.clear()
            await self._arrived.wait()
        entry = self._entries.popleft()
        if entry.kind == CLOSED:
            self._closed = True
            raise StopAsyncIteration
        return entry
