"""What is one connection to an MCP server, from its handshake to its end?

It lives in a task of its own, because the streams of the SDK must be entered and left in one task. Requests are plain JSON both ways.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

import httpx2
import mcp_types
from mcp.client._transport import TransportStreams
from mcp.client.session import ClientRequestContext, ClientSession, IncomingMessage
from mcp.shared.exceptions import MCPError
from pydantic import BaseModel, ConfigDict, ValidationError

from ahp_platform.mcp.challenges import Challenge, requirement_of
from ahp_platform.mcp.failures import McpFailed, McpRefused, NeedsToken
from ahp_platform.mcp.http import Address

logger = logging.getLogger(__name__)

Json = dict[str, Any]
# Answers an `elicitation/create` with an `ElicitResult`.
Elicited = Callable[[Json], Awaitable[Json]]

START_S, CLOSE_S = 30.0, 5.0
CONNECTION_CLOSED = -32000
WHO = mcp_types.Implementation(name="ahp-platform", version="1")


class Anything(BaseModel):
    """A result that is handed on as it is."""

    model_config = ConfigDict(extra="allow")


class Transport(Protocol):
    """What carries the messages."""

    ended: asyncio.Event

    def streams(self) -> AbstractAsyncContextManager[TransportStreams]:
        """What a session reads and writes."""

    @property
    def last_words(self) -> str:
        """What the other side said besides its answers, for the message of a failure."""


class Connection:
    """A server, spoken to. `ended` comes to the reason when it ends by itself, to "" when it was closed."""

    def __init__(
        self, transport: Transport, roots: list[str], elicited: Elicited, noticed: Callable[[str], None]
    ) -> None:
        self._transport, self._roots, self._elicited, self._noticed = transport, roots, elicited, noticed
        loop = asyncio.get_running_loop()
        self.ended: asyncio.Future[str] = loop.create_future()
        self._started: asyncio.Future[Json] = loop.create_future()
        self._session: ClientSession | None = None
        self._closing = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self.capabilities: Json = {}

    async def open(self) -> None:
        """Shake hands; raises `NeedsToken` or `McpFailed`."""
        self._task = asyncio.create_task(self._live())
        try:
            self.capabilities = await asyncio.wait_for(asyncio.shield(self._started), START_S)
        except TimeoutError:
            await self.close()
            raise McpFailed(f"The server did not answer within {START_S:.0f} s{self._words()}") from None
        except BaseException:
            await self.close()
            raise

    async def request(self, method: str, params: Mapping[str, Any], within_s: float) -> Json:
        """Its result; raises `McpRefused`, `NeedsToken` or `McpFailed`."""
        if self._session is None or self.ended.done():
            raise McpFailed("The server has ended")
        try:
            return await self._asked(self._session, method, params, within_s)
        except McpRefused as refused:
            challenge = self._challenge()
            if challenge is not None:
                raise await self._wanted(challenge) from None
            if refused.code == CONNECTION_CLOSED:
                raise McpFailed(f"The server ended while it was asked{self._words()}") from None
            raise

    async def close(self) -> None:
        """Say no more; returns when everything is let go of."""
        self._closing.set()
        if self._task is None:
            return
        await asyncio.wait({self._task}, timeout=CLOSE_S)
        if not self._task.done():
            self._task.cancel()
            await asyncio.wait({self._task}, timeout=CLOSE_S)

    async def _live(self) -> None:
        why = ""
        try:
            async with self._transport.streams() as (read, write), self._spoken(read, write) as session:
                if await self._shaken(session):
                    why = await self._until_over()
        except Exception as error:  # whatever a server makes the SDK raise ends this server alone
            logger.info("an MCP connection ended", exc_info=error)
            why = f"The connection to the server broke{_cause(error)}{self._words()}"
        finally:
            self._session = None
            self._fail(McpFailed(why or "The server has ended"))
            if not self.ended.done():
                self.ended.set_result("" if self._closing.is_set() else why)

    async def _until_over(self) -> str:
        waits = [asyncio.ensure_future(event.wait()) for event in (self._closing, self._transport.ended)]
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for wait in waits:
            wait.cancel()
        return "" if self._closing.is_set() else f"The server has ended{self._words()}"

    async def _shaken(self, session: ClientSession) -> bool:
        # Nothing is raised in here: what leaves the streams of the SDK comes out in groups.
        try:
            await self._shake(session)
        except McpRefused as refused:
            self._fail(McpFailed(f"The server refused the handshake: {refused.message[:300]}{self._words()}"))
            return False
        except (NeedsToken, McpFailed) as failure:
            self._fail(failure)
            return False
        return True

    def _spoken(self, read: Any, write: Any) -> ClientSession:
        return ClientSession(
            read,
            write,
            elicitation_callback=self._elicit,
            list_roots_callback=self._list_roots,
            message_handler=self._message,
            client_info=WHO,
        )

    async def _shake(self, session: ClientSession) -> None:
        try:
            result = await session.initialize()
        except (MCPError, ValidationError, RuntimeError) as error:
            challenge = self._challenge()
            if challenge is not None:
                raise await self._wanted(challenge) from None
            raise _as_refusal(error) from None
        self._session = session
        self._started.set_result(result.capabilities.model_dump(by_alias=True, mode="json", exclude_none=True))

    async def _asked(self, session: ClientSession, method: str, params: Mapping[str, Any], within_s: float) -> Json:
        request = mcp_types.Request[Json, str](method=method, params=dict(params))
        try:
            return (await session.send_request(request, Anything, within_s)).model_extra or {}
        except (MCPError, ValidationError, RuntimeError, ValueError) as error:
            raise _as_refusal(error) from None

    def _challenge(self) -> Challenge | None:
        return self._transport.take_challenge() if isinstance(self._transport, Address) else None

    async def _wanted(self, challenge: Challenge) -> NeedsToken:
        assert isinstance(self._transport, Address)
        return NeedsToken(await requirement_of(challenge, self._transport.url, self._transport.fetch_json))

    def _fail(self, error: Exception) -> None:
        if not self._started.done():
            self._started.set_exception(error)
            self._started.exception()  # nobody may be waiting any more

    def _words(self) -> str:
        return f": {self._transport.last_words}" if self._transport.last_words else ""

    async def _elicit(
        self, context: ClientRequestContext, params: mcp_types.ElicitRequestParams
    ) -> mcp_types.ElicitResult | mcp_types.ErrorData:
        asked = params.model_dump(by_alias=True, mode="json", exclude_none=True)
        return mcp_types.ElicitResult.model_validate(await self._elicited(asked))

    async def _list_roots(self, context: ClientRequestContext) -> mcp_types.ListRootsResult:
        return mcp_types.ListRootsResult.model_validate({"roots": [{"uri": root} for root in self._roots]})

    async def _message(self, message: IncomingMessage) -> None:
        if not isinstance(message, Exception):
            self._noticed(str(message.method))


def _cause(error: BaseException) -> str:
    """What people can do something about: that the server is not reached."""
    if isinstance(error, BaseExceptionGroup):
        return next(filter(None, map(_cause, error.exceptions)), "")
    return f": {str(error)[:200]}" if isinstance(error, httpx2.TransportError) else ""


def _as_refusal(error: Exception) -> McpRefused:
    if isinstance(error, MCPError):
        return McpRefused(error.code, error.message, error.data)
    return McpRefused(-32603, "The server's answer has not the form of one")
