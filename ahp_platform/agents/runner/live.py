"""Which agents are at work, and until when?

One `AgentSession` per AHP session is kept between turns. It is closed when its session is disposed, after a time without turns, and
with the process.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from django.conf import settings

from ahp_platform.agents import registry
from ahp_platform.agents.backend import AgentBackend, AgentSession, Object, SessionInfo, TurnFailed
from ahp_platform.agents.runner.desk import SessionDesk
from ahp_platform.eventlog.log import TenantLog
from ahp_platform.protocol.errors import NotFound

logger = logging.getLogger(__name__)

Key = tuple[int, str]

CLOSE_S = 5.0


class Live:
    """An agent session, the turns that use it, and the chats it knows."""

    def __init__(self, session: AgentSession, backend: AgentBackend, watcher: asyncio.Task[None]) -> None:
        self.session, self.backend, self._watcher = session, backend, watcher
        self._idle_s = backend.idle_s or settings.AHP_AGENT_IDLE_S
        self._chats: set[str] = set()
        self.users = 0
        self.idle_since = time.monotonic()

    async def meet(self, chat: str, state: Object) -> None:
        """Tell the agent of a chat that it sees for the first time and that began as a fork or beside another."""
        origin = state.get("origin", {})
        if chat not in self._chats and origin.get("kind") in ("fork", "sideChat"):
            await self.session.fork(origin, chat)
        self._chats.add(chat)

    @property
    def is_idle(self) -> bool:
        """Whether it has had no turn for as long as it may."""
        return not self.users and time.monotonic() - self.idle_since > self._idle_s

    async def close(self) -> None:
        """Close the agent session; one that does not want to is left behind after a while."""
        self._watcher.cancel()
        try:
            await asyncio.wait_for(self.session.close(), CLOSE_S)
        except Exception:
            logger.exception("an agent session could not be closed")


class LiveSessions:
    """The agent sessions of this process."""

    def __init__(self) -> None:
        self._live: dict[Key, asyncio.Task[Live]] = {}
        self._closing: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def use(self, log: TenantLog, session: str, provider: str) -> AsyncIterator[Live]:
        """The session's agent, opened if there is none; kept at least until the block ends."""
        key = (log.tenant_id, session)
        self._let_go_of_another(key, await registry.find(provider, log.tenant_id))
        task = self._live.get(key)
        if task is None:
            task = self._live[key] = asyncio.create_task(self._open(log, session, provider))
            task.add_done_callback(lambda task: self._forget_failed(key, task))
        live = await asyncio.shield(task)
        live.users += 1
        try:
            yield live
        finally:
            live.users -= 1
            live.idle_since = time.monotonic()
            if live.users == 0 and self._live.get(key) is not task:
                self._close(live)

    def abandon(self, live: Live) -> None:
        """The agent does not listen: later turns get another one, and this one is closed when its turns are over."""
        for key, other in self._opened():
            if other is live:
                del self._live[key]

    def close_idle(self) -> None:
        """Close what has had no turn for a while."""
        for key, live in self._opened():
            if live.is_idle:
                del self._live[key]
                self._close(live)

    async def close_all(self) -> None:
        """The process ends."""
        for _, live in self._opened():
            self._close(live)
        self._live.clear()
        if self._closing:
            await asyncio.wait(self._closing)

    async def _open(self, log: TenantLog, session: str, provider: str) -> Live:
        backend = await registry.find(provider, log.tenant_id)
        if backend is None:
            raise TurnFailed("agentMissing", registry.why_absent(provider, log.tenant_id))
        opened = await backend.open(SessionInfo(session, provider, log.slug, SessionDesk(log, session, provider)))
        return Live(opened, backend, asyncio.create_task(self._disposed(log, session)))

    async def _disposed(self, log: TenantLog, session: str) -> None:
        try:
            async with log.follow(session) as feed:
                async for _ in feed:
                    pass
        except NotFound:
            logger.debug("the session was gone before its agent had started")
        task = self._live.pop((log.tenant_id, session), None)
        if task is not None:
            live = await task
            if not live.users:
                self._close(live)

    def _let_go_of_another(self, key: Key, wanted: AgentBackend | None) -> None:
        """An operator has edited the agent or taken it away: what still runs of it gets no further turn."""
        task = self._live.get(key)
        if task is None or not task.done() or registry.same_program(task.result().backend, wanted):
            return
        del self._live[key]
        if not task.result().users:
            self._close(task.result())

    def _close(self, live: Live) -> None:
        task = asyncio.create_task(live.close())
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    def _forget_failed(self, key: Key, task: asyncio.Task[Live]) -> None:
        if task.cancelled() or task.exception() is not None:
            self._live.pop(key, None)

    def _opened(self) -> list[tuple[Key, Live]]:
        return [(key, task.result()) for key, task in self._live.items() if task.done()]
