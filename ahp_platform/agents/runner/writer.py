"""How does what a turn produces get into the log, in order and without waiting for each action?

Actions queue; a task hands all that has gathered to the log as one plan and takes the next when that is committed. So a lone action
leaves at once, a flood leaves in batches, and an agent that is faster than the log waits for it.
"""

from __future__ import annotations

import asyncio
import logging
import time

from ahp_platform.agents.backend import Json, TurnOver
from ahp_platform.agents.runner.active import Plan, acting, while_active
from ahp_platform.agents.runner.part_limit import PartLimit
from ahp_platform.agents.turns import TurnKey
from ahp_platform.eventlog.log import TenantLog
from ahp_platform.protocol import jsonrpc

logger = logging.getLogger(__name__)

MAX_QUEUED = 256


class TurnWriter:
    """The one way from a turn into its chat."""

    def __init__(self, log: TenantLog, key: TurnKey) -> None:
        self._log, self._key = log, key
        self._queue: list[Json] = []
        self._room = asyncio.Event()
        self._flushing: asyncio.Task[None] | None = None
        self._closed = False
        # Whether something that was put is lost.
        self.failed = False
        self._parts = PartLimit()
        self.last_put = time.monotonic()

    async def put(self, action: Json) -> None:
        """Queue an action; raises `TurnOver` after `close`."""
        self._check_open()
        self.last_put = time.monotonic()
        self._queue += self._parts.within(jsonrpc.without_lone_surrogates(action))
        if self._flushing is None:
            self._flushing = asyncio.create_task(self._flush())
        while len(self._queue) >= MAX_QUEUED:
            self._room.clear()
            await self._room.wait()
            self._check_open()

    async def drain(self) -> None:
        """Wait until everything queued is in the log."""
        while self._flushing is not None:
            await asyncio.wait([self._flushing])

    async def append(self, plan: Plan) -> None:
        """Run a plan of the turn after what was queued; raises what the plan raises."""
        await self.drain()
        self._check_open()
        await self._log.append(while_active(self._key, plan))

    def close(self) -> None:
        """The turn is over: forget what is queued and take nothing more."""
        self._closed = True
        self._queue.clear()
        self._room.set()

    def _check_open(self) -> None:
        if self._closed:
            raise TurnOver

    async def _flush(self) -> None:
        try:
            while self._queue:
                actions, self._queue = self._queue, []
                self._room.set()
                await self._log.append(acting(self._key, actions))
        except Exception:
            logger.exception("a turn could not be written", extra={"tenant": self._log.slug})
            self.failed = True
            self.close()
        finally:
            self._flushing = None
