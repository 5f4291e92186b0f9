"""How does one MCP server of a session live: started, asked, waiting for a token, crashed, stopped?

One that wants tokens is spoken with over a connection for each user, with that user's token. Others have one for all.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Protocol

from ahp_platform.mcp.declared import Declared
from ahp_platform.mcp.failures import McpFailed, NeedsToken
from ahp_platform.mcp.switchboard import Heard
from sessions_app.customizations.line import Line

logger = logging.getLogger(__name__)

Json = dict[str, Any]

STOPPED, STARTING, READY = {"kind": "stopped"}, {"kind": "starting"}, {"kind": "ready"}
# A hint that a token has come may be lost: then it is found within this time.
LOOK_AGAIN_S = 5.0
MAX_MESSAGE = 1_000


class Home(Protocol):
    """What a server needs of the session that it belongs to."""

    async def open(self, server: str, declared: Declared, token: str | None) -> Line:
        """A new connection; raises `NeedsToken` or `McpFailed`."""

    async def token(self, user_id: int | None, resource: str) -> str | None:
        """The user's token for a resource."""

    async def report(self, server: str, state: Json, capabilities: Json | None = None) -> None:
        """Show the state to everybody."""

    async def challenged(self, server: str, requirement: Json) -> None:
        """From now on tokens for this are taken."""


class Server:
    """A declared server. All that it does ends with `stop`."""

    def __init__(self, id: str, declared: Declared, home: Home) -> None:
        self.id, self.declared, self._home = id, declared, home
        self.state: Json = STOPPED
        self._news = asyncio.Event()
        self._life: asyncio.Task[None] | None = None
        self._lines: dict[int | None, Line] = {}
        # Why connections have ended by themselves.
        self._broken: asyncio.Queue[str] = asyncio.Queue()
        self._opening = asyncio.Lock()
        # What it wants tokens for, once it has said so.
        self._requirement: Json | None = None
        self._authenticated: set[int] = set()

    @property
    def runs(self) -> bool:
        """Whether it does anything."""
        return self._life is not None and not self._life.done()

    async def start(self, user_id: int | None) -> None:
        """Start it anew, with the tokens of this user if it wants any."""
        await self._end()
        self.state, self._broken = STARTING, asyncio.Queue()
        self._life = asyncio.create_task(self._live(user_id))

    async def stop(self, *, silent: bool = False) -> None:
        """End it and everything that it has started; `silent`: somebody else says so, or nobody may."""
        await self._end()
        self.state = STOPPED
        self._tell_waiting()
        if not silent:
            await self._home.report(self.id, STOPPED)

    def authenticated(self, user_id: int, resource: str) -> None:
        """A user has given a token."""
        if self._requirement is not None and self._requirement["resource"]["resource"] == resource:
            self._authenticated.add(user_id)
            self._tell_waiting()

    async def ask(self, method: str, params: Mapping[str, Any], user_id: int | None, within_s: float) -> Json:
        """What a ready server answers; raises `McpFailed`, `McpRefused` or `NeedsToken`."""
        if self.state["kind"] != "ready":
            raise McpFailed("The server is not running")
        return await self._ask(method, params, user_id, (within_s, None))

    async def call(self, params: Mapping[str, Any], user_id: int | None, within_s: float, heard: Heard) -> Json:
        """`tools/call`: starts the server if need be, and waits for a token where one is missing; raises as `ask` does."""
        if not self.runs:
            await self._home.report(self.id, STARTING)
            await self.start(user_id)
        await self._until_ready(heard)
        while True:
            used = await self._token(user_id)
            try:
                return await self._ask("tools/call", params, user_id, (within_s, heard))
            except NeedsToken as needed:
                await self._home.challenged(self.id, needed.requirement)
                await heard({"kind": "authRequired", "auth": needed.requirement})
                await self._token_of({user_id}, used)
                await heard({"kind": "authResolved"})

    async def _ask(
        self, method: str, params: Mapping[str, Any], user_id: int | None, how: tuple[float, Heard | None]
    ) -> Json:
        within_s, heard = how
        line = await self._line(user_id)
        try:
            with line.asking(heard):
                return await line.connection.request(method, params, within_s)
        except NeedsToken as needed:
            self._requirement = needed.requirement
            await self._drop(line)
            raise

    async def _live(self, user_id: int | None) -> None:
        try:
            line = await self._connected(user_id)
            await self._say(READY, line.connection.capabilities)
            await self._say(_error("crashed", await self._broken.get()))
        except McpFailed as failure:
            await self._say(_error("startFailed", str(failure)))
        except Exception:
            logger.exception("an MCP server could not be kept")
            await self._say(_error("startFailed", "The server could not be started"))
        finally:
            for line in tuple(self._lines.values()):
                await self._drop(line)

    async def _connected(self, user_id: int | None) -> Line:
        """The first connection, for whoever has a token."""
        anybody: set[int | None] = {user_id}
        while True:
            used = await self._token(user_id)
            try:
                return await self._line(user_id)
            except NeedsToken as needed:
                await self._home.challenged(self.id, needed.requirement)
                await self._say({"kind": "authRequired", **needed.requirement})
                user_id = await self._token_of(anybody, used, others=True)
                await self._say(STARTING)

    async def _line(self, user_id: int | None) -> Line:
        async with self._opening:
            for _ in range(2):
                key = user_id if self._requirement is not None else None
                found, token = self._lines.get(key), await self._token(user_id)
                if found is not None:
                    # A token that was taken back, or replaced, is not used any more.
                    if not found.connection.ended.done() and found.token == token:
                        return found
                    await self._drop(found)
                if self._requirement is not None and token is None:
                    raise NeedsToken(self._requirement)
                try:
                    return await self._opened(key, token)
                except NeedsToken as needed:
                    known, self._requirement = self._requirement is not None, needed.requirement
                    if known:
                        raise
            raise NeedsToken(self._requirement or {})

    async def _opened(self, key: int | None, token: str | None) -> Line:
        broken = self._broken
        line = await self._home.open(self.id, self.declared, token)
        if broken is not self._broken or not self.runs:
            await line.close()
            raise McpFailed("The server was stopped")
        self._lines[key] = line

        def ended(why: asyncio.Future[str]) -> None:
            if why.result():
                broken.put_nowait(why.result())

        line.connection.ended.add_done_callback(ended)
        return line

    async def _token(self, user_id: int | None) -> str | None:
        if self._requirement is None:
            return None
        return await self._home.token(user_id, self._requirement["resource"]["resource"])

    async def _token_of(self, users: set[int | None], used: str | None, *, others: bool = False) -> int | None:
        """Wait until one of these users, or of all, has given a token; returns whose it is."""
        self._authenticated.clear()
        while True:
            self._news.clear()
            came = self._authenticated if others else self._authenticated & users
            if came:
                return next(iter(came))
            for user in users:
                if await self._token(user) not in (None, used):
                    return user
            with suppress(TimeoutError):
                await asyncio.wait_for(self._news.wait(), LOOK_AGAIN_S)

    async def _until_ready(self, heard: Heard) -> None:
        told = False
        while self.state["kind"] != "ready":
            kind = self.state["kind"]
            if kind in ("stopped", "error"):
                raise McpFailed(self.state.get("error", {}).get("message", "The server was stopped"))
            if kind == "authRequired" and not told:
                told = True
                await heard({"kind": "authRequired", "auth": {k: v for k, v in self.state.items() if k != "kind"}})
            self._news.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._news.wait(), LOOK_AGAIN_S)
        if told:
            await heard({"kind": "authResolved"})

    async def _say(self, state: Json, capabilities: Json | None = None) -> None:
        self.state = state
        self._tell_waiting()
        await self._home.report(self.id, state, capabilities)

    def _tell_waiting(self) -> None:
        # Everybody who waits clears it before they look.
        self._news.set()

    async def _drop(self, line: Line) -> None:
        for key in [key for key, held in self._lines.items() if held is line]:
            del self._lines[key]
        await line.close()

    async def _end(self) -> None:
        if self._life is not None:
            self._life.cancel()
            await asyncio.gather(self._life, return_exceptions=True)
            self._life = None


def _error(kind: str, message: str) -> Json:
    return {"kind": "error", "error": {"errorType": kind, "message": message[:MAX_MESSAGE]}}
