"""How does a tenant that writes again and again keep its connection?

Taking one from the pool and giving it back costs more than the statement of a small commit. So a committer holds on to its
connection for a moment; no more than half of the pool is held like that.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from django.conf import settings

from ahp_platform.eventlog.pool import TenantConnection, give_back, take

HOLD_S = 1.0


class HeldConnection:
    """A connection to commit with, by one task at a time."""

    _holding = 0  # of all instances

    def __init__(self) -> None:
        self._conn: TenantConnection | None = None
        self._release: asyncio.TimerHandle | None = None
        self._releasing: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def use(self) -> AsyncIterator[TenantConnection]:
        """The connection; after an exception it goes back to the pool, which looks whether it is broken."""
        conn = self._take() or await take()
        kept = False
        try:
            yield conn
            kept = self._keep(conn)
        finally:
            if not kept:
                await give_back(conn)

    async def close(self) -> None:
        """Give the connection back."""
        conn = self._take()
        if conn is not None:
            await give_back(conn)

    def _take(self) -> TenantConnection | None:
        conn, self._conn = self._conn, None
        if self._release is not None:
            self._release.cancel()
            self._release = None
        if conn is not None:
            HeldConnection._holding -= 1
        return conn

    def _keep(self, conn: TenantConnection) -> bool:
        if conn.closed or HeldConnection._holding >= settings.AHP_POOL_SIZE // 2:
            return False
        HeldConnection._holding += 1
        self._conn = conn
        self._release = asyncio.get_running_loop().call_later(HOLD_S, self._let_go)
        return True

    def _let_go(self) -> None:
        task = asyncio.create_task(self.close())
        self._releasing.add(task)
        task.add_done_callback(self._releasing.discard)
