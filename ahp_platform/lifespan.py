"""When does a process's background work start and stop?

Servers that speak the ASGI lifespan protocol start it before the first connection; under one that does not (daphne),
the first connection does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from ahp_platform.background import Background

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]


class Lifespan:
    """Wraps an application with the start and stop of `Background`."""

    def __init__(self, application: Application) -> None:
        self._application = application
        self._background = Background()
        self._starting: asyncio.Task[None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one scope."""
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
            return
        await self._started()
        await self._application(scope, receive, send)

    async def _started(self) -> None:
        if self._starting is None:
            self._starting = asyncio.create_task(self._background.start())
        await asyncio.shield(self._starting)

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        await receive()
        await self._started()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await self._background.stop()
        self._background, self._starting = Background(), None
        await send({"type": "lifespan.shutdown.complete"})
