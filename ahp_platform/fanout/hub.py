"""How do our processes tell each other that something happened?

One `Hub` per process listens on one layer channel that is a member of one group for each tenant in use. The layer is
a hint: it loses and delays, and a break of Redis must neither fail a commit nor lose an action, so publishing never
raises and never waits for long. Source: DESIGN.md section 4.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any

from channels.layers import get_channel_layer

logger = logging.getLogger(__name__)

Message = Mapping[str, Any]
Handler = Callable[[Message], None]

SEND_TIMEOUT_S = 2.0
RETRY_S = 0.5
DEAF_S = 3.0
MAX_UNSENT = 10_000


class Hub:
    """The process's ear and mouth on the layer. Messages carry `type`, which names their handler."""

    def __init__(self) -> None:
        self._handlers: dict[str, Handler] = {}
        self._groups: set[str] = set()
        self._joined: set[str] = set()
        self._outgoing: asyncio.Queue[tuple[bool, str, Message]] | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._heard_at = 0.0
        self.channel_name = ""
        # When the layer was first found broken, by time.monotonic(); None while it works.
        self.broken_since: float | None = None

    def on(self, kind: str, handler: Handler) -> None:
        """Messages of this type go to the handler, which must not block."""
        self._handlers[kind] = handler

    async def start(self) -> None:
        """Begin to listen; a Redis that is away now is picked up when it comes."""
        self.on("hub.probe", self._hear_probe)
        self._outgoing = asyncio.Queue(MAX_UNSENT)
        self._tasks = [asyncio.create_task(self._listen()), asyncio.create_task(self._send(self._outgoing))]

    async def stop(self) -> None:
        """Say what is left to say, and stop listening."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self.flush(), SEND_TIMEOUT_S)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks, self._outgoing, self.channel_name, self.broken_since = [], None, "", None
        self._joined.clear()

    async def flush(self) -> None:
        """Wait until everything published so far is on its way, or the layer has turned out to be away."""
        if self._outgoing is not None:
            await self._outgoing.join()

    def join(self, group: str) -> None:
        """Hear what is published to this group from (about) now on."""
        self._groups.add(group)

    async def joined(self, group: str) -> None:
        """Join and wait until the layer has it, or until it is clear that the layer is away."""
        self.join(group)
        with suppress(Exception):
            await asyncio.wait_for(self._join_missing(), SEND_TIMEOUT_S)

    def publish(self, group: str, message: Message) -> None:
        """Tell the members of a group, in order, some time soon; dropped while the layer is away."""
        self._enqueue(True, group, message)

    def send(self, channel: str, message: Message) -> None:
        """Tell one process, by its `channel_name`."""
        self._enqueue(False, channel, message)

    def broken_for(self) -> float:
        """Seconds for which the layer has been away; 0 while it works."""
        return time.monotonic() - self.broken_since if self.broken_since is not None else 0.0

    def _enqueue(self, to_group: bool, name: str, message: Message) -> None:
        if self._outgoing is not None and self.broken_since is None:
            with suppress(asyncio.QueueFull):  # whoever misses it reads the log
                self._outgoing.put_nowait((to_group, name, message))

    async def _send(self, outgoing: asyncio.Queue[tuple[bool, str, Message]]) -> None:
        layer = get_channel_layer()
        while True:
            to_group, name, message = await outgoing.get()
            send = layer.group_send if to_group else layer.send
            works = await self._guard(send(name, message))
            outgoing.task_done()
            while not works and not outgoing.empty():
                # What waits behind it would only wait: whoever misses it reads the log.
                outgoing.get_nowait()
                outgoing.task_done()

    async def _guard(self, doing: Awaitable[object]) -> bool:
        try:
            await asyncio.wait_for(doing, SEND_TIMEOUT_S)
        except Exception as error:  # noqa: BLE001 - the layer has many ways to be away, and none of them may hurt
            self._is_away(type(error).__name__)
            return False
        return True

    def _is_away(self, why: str) -> None:
        if self.broken_since is None:
            logger.warning("the channel layer is away: %s", why)
            self.broken_since = time.monotonic()

    def _hear_probe(self, _: Message) -> None:
        self._heard_at = time.monotonic()
        if self.broken_since is not None:
            logger.warning("the channel layer is back after %.1f s", self.broken_for())
            self.broken_since = None

    async def _listen(self) -> None:
        layer = get_channel_layer()
        while not self.channel_name:
            name = asyncio.ensure_future(layer.new_channel())
            if await self._guard(name):
                self.channel_name, self._heard_at = name.result(), time.monotonic()
            else:
                await asyncio.sleep(RETRY_S)
        while True:
            message = await layer.receive(self.channel_name)
            handler = self._handlers.get(message.get("type", ""))
            if handler is not None:
                try:
                    handler(message)
                except Exception:
                    logger.exception("a layer message could not be handled")

    async def check(self) -> None:
        """Called every second: says something to ourselves. The layer works while we hear it."""
        if not self.channel_name:
            return
        await self._guard(self._join_missing())
        await self._guard(get_channel_layer().send(self.channel_name, {"type": "hub.probe"}))
        if time.monotonic() - self._heard_at > DEAF_S:
            self._is_away("nothing is heard")

    async def _join_missing(self) -> None:
        for group in self._groups - self._joined:
            await get_channel_layer().group_add(group, self.channel_name)
            self._joined.add(group)


hub = Hub()

__all__ = ["Handler", "Hub", "Message", "hub"]
