"""How does an agent's turn run a command where everybody in its session can watch? The runner's port `Commands`."""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

from ahp_platform.agents.backend import CommandOutput, TurnFailed
from ahp_platform.agents.runner.ports import CommandEnd, CommandRequest
from ahp_platform.eventlog.log import TenantLog
from ahp_platform.eventlog.view import View
from ahp_platform.fanout import hosts
from ahp_platform.protocol.errors import NotFound, ProtocolError
from ahp_platform.sandbox.leftovers import VARIABLE
from ahp_platform.workspaces import paths
from terminals_app import terminals

# What a tool call's result shows of the output; the terminal has the rest.
PREVIEW = 4_000
MAX_TITLE = 80
OURS = frozenset({VARIABLE, "LD_PRELOAD"})
SIZE = (120, 30)


# Raises a `ProtocolError` where a user of a tenant may open no more terminals.
RequireRoom = Callable[[int, int | None], Awaitable[None]]


async def without_limit(tenant_id: int, user_id: int | None) -> None:
    """Everybody may."""


class SessionCommands:
    """Commands in session-claimed terminals."""

    def __init__(self, require_room: RequireRoom = without_limit) -> None:
        self._require_room = require_room

    async def start(self, log: TenantLog, request: CommandRequest) -> str:
        """See `Commands`."""
        root = paths.root(log.slug)
        cwd = request.directory or root.as_uri()
        try:
            names = paths.names_of(root, cwd)
        except (paths.NotAFileUri, paths.LeadsOut):
            raise TurnFailed("terminal", "The working directory is not one of this tenant's.") from None
        claim = {"kind": "session", "session": request.session, "turnId": request.turn_id}
        new = terminals.NewTerminal(
            uri=f"ahp-terminal:/{uuid.uuid4()}",
            claim={**claim, "toolCallId": request.tool_call_id},
            plan=terminals.Plan(names, request.session, request.command, _environment(request)),
            cwd=cwd,
            title=request.command[:MAX_TITLE],
            size=SIZE,
        )
        try:
            await self._require_room(log.tenant_id, request.user_id)
            await log.append(lambda view: terminals.create(view, new), user_id=request.user_id)
        except ProtocolError as error:
            raise TurnFailed("terminal", f"The command could not be started: {error}") from None
        hosts.wake()
        return new.uri

    async def finished(self, log: TenantLog, uri: str) -> CommandEnd:
        """See `Commands`."""
        try:
            async with log.follow(uri) as feed:
                state = feed.state
                if "exitCode" not in state:
                    async for entry in feed:
                        if entry.body.startswith('{"type":"terminal/exited"'):
                            break
                    state = await log.state(uri)
        except NotFound:
            return CommandEnd(None, "", truncated=False)
        output = _output(state)
        return CommandEnd(state.get("exitCode"), output[-PREVIEW:], truncated=len(output) > PREVIEW)

    async def output(self, log: TenantLog, uri: str) -> CommandOutput:
        """See `Commands`."""
        try:
            state = await log.state(uri)
        except NotFound:
            return CommandOutput("", ended=True)
        return CommandOutput(_output(state), "exitCode" in state, state.get("exitCode"))

    async def stop(self, log: TenantLog, uri: str) -> None:
        """See `Commands`: what was shown stays, the processes go."""

        def plan(view: View) -> None:
            terminals.end(view, uri, terminals.KILLED)

        await log.append(plan)


def _environment(request: CommandRequest) -> Mapping[str, str]:
    """What the command is to find besides; what the sandbox and the sweep rely on stays ours."""
    return {
        name: value for name, value in request.environment.items() if name not in OURS and "\x00" not in name + value
    }


def _output(state: Mapping[str, Any]) -> str:
    parts: Iterable[Mapping[str, Any]] = state["content"]
    return "".join(part["output"] if part["type"] == "command" else part.get("value", "") for part in parts)
