"""Which MCP servers has a session, as they are declared now, and what are they asked and told to do?"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from typing import Any

from ahp_platform.mcp.declared import Declared
from ahp_platform.mcp.failures import McpFailed
from ahp_platform.mcp.switchboard import Heard
from sessions_app.customizations.merge import servers
from sessions_app.customizations.server import Home, Server

Json = dict[str, Any]

# A question at a side channel, and a tool call, during which people may be asked.
ASK_S, CALL_S = 60.0, 3600.0
MAX_RUNNING = 16
UNKNOWN = "There is no such MCP server"


class Equipment:
    """The servers of one session. Implements `switchboard.Servant`."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._open, self._asked_at = 0, time.monotonic()
        self._servers: dict[str, Server] = {}
        self._enabled: frozenset[str] = frozenset()

    async def declare(self, declared: Mapping[str, Declared]) -> None:
        """These are the servers now; those that are gone or declared otherwise are stopped."""
        for id, server in list(self._servers.items()):
            if declared.get(id) != server.declared:
                del self._servers[id]
                await server.stop(silent=id not in declared or not server.runs)
        for id, what in declared.items():
            if id not in self._servers:
                self._servers[id] = Server(id, what, self._home)

    async def allow(self, customizations: Sequence[Mapping[str, Any]]) -> None:
        """What is switched off is stopped."""
        self._enabled = frozenset(item["id"] for item, enabled in servers(customizations) if enabled)
        for id, server in list(self._servers.items()):
            if id not in self._enabled and server.runs:
                await server.stop()

    async def start(self, id: str, user_id: int | None) -> None:
        """Start a server, or start it anew."""
        server = self._servers.get(id)
        if server is None or id not in self._enabled:
            await self._home.report(id, {"kind": "stopped"})
        elif server.declared.error:
            error = {"errorType": "declaration", "message": server.declared.error}
            await self._home.report(id, {"kind": "error", "error": error})
        elif sum(other.runs for other in self._servers.values()) >= MAX_RUNNING and not server.runs:
            error = {"errorType": "tooMany", "message": f"At most {MAX_RUNNING} MCP servers of a session run at once"}
            await self._home.report(id, {"kind": "error", "error": error})
        else:
            self._asked_at = time.monotonic()
            await server.start(user_id)

    async def stop(self, id: str) -> None:
        """Stop a server."""
        server = self._servers.get(id)
        if server is not None:
            await server.stop()

    async def stop_all(self, *, silent: bool = False) -> None:
        """Stop everything."""
        await asyncio.gather(*(server.stop(silent=silent) for server in self._servers.values() if server.runs))

    def authenticated(self, user_id: int, resource: str) -> None:
        """A user has given a token."""
        for server in self._servers.values():
            server.authenticated(user_id, resource)

    @property
    def runs(self) -> bool:
        """Whether any server does anything."""
        return any(server.runs for server in self._servers.values())

    @property
    def idle_s(self) -> float:
        """For how long nothing has been asked."""
        return 0.0 if self._open else time.monotonic() - self._asked_at

    async def answer(self, question: Json, heard: Heard) -> Json:
        """See `switchboard.Servant`."""
        self._open += 1
        try:
            return await self._answer(question, heard)
        finally:
            self._open -= 1
            self._asked_at = time.monotonic()

    async def _answer(self, question: Json, heard: Heard) -> Json:
        if question["op"] == "declared":
            return {"servers": [self._servers[id].declared.for_agent() for id in sorted(self._usable())]}
        server = self._servers.get(question["server"])
        if server is None or question["server"] not in self._usable():
            raise McpFailed(UNKNOWN)
        if question["op"] == "call":
            return await server.call(question["params"], question["user"], CALL_S, heard)
        return await server.ask(question["method"], question["params"], question["user"], ASK_S)

    def _usable(self) -> set[str]:
        return {id for id, server in self._servers.items() if id in self._enabled and not server.declared.error}
