"""How is one running agent talked to, and what do people read when it fails?

Requests go through the SDK's connection. Whatever goes wrong becomes a `TurnFailed` whose message says what an operator can look
at; what the agent wrote to its standard error is part of it, without secrets.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import Any

from acp.client.router import build_client_router
from acp.connection import Connection
from acp.exceptions import RequestError
from acp.interfaces import Client
from acp.meta import AGENT_METHODS, PROTOCOL_VERSION

from ahp_platform.agents.backend import Json, Object, TurnFailed
from ahp_platform.agents.backends.acp.complaints import Complaints
from ahp_platform.agents.backends.acp.lines import Lines, Update
from ahp_platform.agents.launching import Launcher, LaunchRequest

logger = logging.getLogger(__name__)

START_WITHIN_S = 60.0
ANSWER_WITHIN_S = 60.0
LAST_WORDS_S = 1.0
TELL_WITHIN_S = 0.4

MAX_DETAIL = 500

AUTH_REQUIRED = -32000

CAPABILITIES: Json = {
    "fs": {"readTextFile": True, "writeTextFile": True},
    "terminal": True,
    "session": {"configOptions": {"boolean": {}}},
    "elicitation": {"form": {}, "url": {}},
}
INITIALIZE: Json = {
    "protocolVersion": PROTOCOL_VERSION,
    "clientCapabilities": CAPABILITIES,
    "clientInfo": {"name": "ahp-platform", "title": "Agent Host Protocol service", "version": "1"},
}


class AgentRefused(TurnFailed):
    """The agent answered a request with an error."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__("agentError", message)
        self.code = code


class AgentProcess:
    """A process that has been initialized. `about` is its `InitializeResponse`."""

    def __init__(self, name: str, launcher: Launcher, process: asyncio.subprocess.Process) -> None:
        self._name, self._launcher, self._process = name, launcher, process
        self.about: Json = {}
        self._closing = False
        self._lines: Lines
        self._complaints: Complaints
        self._connection: Connection

    @classmethod
    async def start(
        cls, name: str, launcher: Launcher, request: LaunchRequest, client: Client, update: Update
    ) -> AgentProcess:
        """Start and initialize it; raises `TurnFailed`."""
        process = await launcher.start(request)
        self = cls(name, launcher, process)
        assert process.stderr is not None
        self._complaints = Complaints(process.stderr, request.environment.values())
        self._lines = Lines(process, update)
        self._connection = Connection(build_client_router(client, use_unstable_protocol=True), self._lines)
        try:
            self.about = await self.call("initialize", INITIALIZE, START_WITHIN_S)
        except BaseException:
            await self.close()
            raise
        return self

    @property
    def ended(self) -> bool:
        """Whether nothing more can be asked."""
        return self._process.returncode is not None or bool(self._lines.broken)

    @property
    def capabilities(self) -> Object:
        """Its `AgentCapabilities`."""
        found: Object = self.about.get("agentCapabilities") or {}
        return found

    async def call(self, method: str, params: Object, within_s: float | None = ANSWER_WITHIN_S) -> Json:
        """Send a request, named as in the SDK, and wait for its result; raises `TurnFailed`."""
        try:
            async with asyncio.timeout(within_s):
                result = await self._connection.send_request(AGENT_METHODS.get(method, method), dict(params))
        except TimeoutError:
            raise await self._failed("agentSilent", f"did not answer within {within_s:.0f} s") from None
        except RequestError as error:
            raise AgentRefused(error.code, self._complaints.masked(_said(error))) from None
        except OSError:
            raise await self._failed("agentExited", await self._end()) from None
        return result if isinstance(result, dict) else {}

    async def tell(self, method: str, params: Object) -> None:
        """Send a notification; nobody hears whether it arrived, and an agent that reads nothing is not waited for."""
        with suppress(OSError, TimeoutError):
            async with asyncio.timeout(TELL_WITHIN_S):
                await self._connection.send_notification(AGENT_METHODS[method], dict(params))

    async def close(self) -> None:
        """End it with all that it started."""
        self._closing = True
        self._complaints.close()
        try:
            await self._connection.close()
        finally:
            await self._launcher.end(self._process)

    async def _end(self) -> str:
        if self._lines.broken:
            return self._lines.broken
        try:
            code = await asyncio.wait_for(self._process.wait(), LAST_WORDS_S)
        except TimeoutError:
            return "closed its output"
        return f"ended with exit code {code}" if code >= 0 else f"was ended by signal {-code}"

    async def _failed(self, error_type: str, what: str) -> TurnFailed:
        said = await self._complaints.last(LAST_WORDS_S)
        noise = "\n".join(self._complaints.masked(line) for line in self._lines.nonsense)
        level = logging.DEBUG if self._closing else logging.WARNING
        logger.log(level, "the agent %s %s: %s", self._name, what, said or noise)
        words = f" It wrote: {said or noise}" if said or noise else ""
        return TurnFailed(error_type, f"The agent {self._name} {what}.{words}")


def _said(error: RequestError) -> str:
    """What an error says, with the detail that most agents put into its data."""
    data: Any = error.data
    detail = (
        next((data[name] for name in ("details", "message") if data.get(name)), "") if isinstance(data, dict) else data
    )
    words = [str(error), str(detail or "")[:MAX_DETAIL]]
    return ": ".join(word for word in words if word)
