"""What is one connection to a session's MCP server, with the program behind it and those who wait for its answers?"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ahp_platform.agents.backend import TurnFailed
from ahp_platform.agents.launching import Launcher, LaunchRequest
from ahp_platform.mcp.connection import Connection
from ahp_platform.mcp.failures import McpFailed
from ahp_platform.mcp.stdio import Pipes
from ahp_platform.mcp.switchboard import Heard

Json = dict[str, Any]

CANCEL: Json = {"action": "cancel"}


class Program:
    """A server that runs as a program of ours."""

    def __init__(self, launcher: Launcher, process: asyncio.subprocess.Process) -> None:
        self._launcher, self._process = launcher, process
        self.pipes = Pipes(process)

    @classmethod
    async def started(cls, launcher: Launcher, request: LaunchRequest) -> Program:
        """Start it; raises `McpFailed`."""
        try:
            return cls(launcher, await launcher.start(request))
        except TurnFailed as failure:
            raise McpFailed(failure.message) from None

    async def end(self) -> None:
        """End it with everything that it has started."""
        await self._launcher.end(self._process)


class Line:
    """A connection in use. What the server asks goes to whoever asked it last."""

    def __init__(self, program: Program | None = None, token: str | None = None) -> None:
        self._program, self.token = program, token
        self._asking: list[Heard] = []
        self.connection: Connection

    @contextmanager
    def asking(self, heard: Heard | None) -> Iterator[None]:
        """While a question is open that `heard` can be asked about."""
        if heard is None:
            yield
            return
        self._asking.append(heard)
        try:
            yield
        finally:
            self._asking.remove(heard)

    async def elicited(self, params: Json) -> Json:
        """A question of the server; cancelled where nobody is there."""
        if not self._asking:
            return CANCEL
        answer = await self._asking[-1]({"kind": "elicitation", "params": params})
        return answer if "action" in answer else CANCEL

    async def close(self) -> None:
        """Say no more, and end the program."""
        await self.connection.close()
        if self._program is not None:
            await self._program.end()
