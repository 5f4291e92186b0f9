"""How does a tool call run a shell command, and what does it show of it?"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Awaitable, Callable

from ahp_platform.agents.backend import Json, Sink
from ahp_platform.agents.runner.ports import CommandEnd, CommandRequest, ports
from ahp_platform.eventlog.log import TenantLog

Emit = Callable[[Json], Awaitable[None]]


class ToolCommand:
    """A command in a terminal of the session, from its start to its end."""

    def __init__(self, log: TenantLog, request: CommandRequest) -> None:
        self._log, self._request = log, request

    async def run(self, emit: Emit) -> Json:
        """Run it, showing the terminal meanwhile; being cancelled ends it. Returns the `ToolCallResult`."""
        commands = ports().commands
        terminal = await commands.start(self._log, self._request)
        content: Json = {"type": "terminal", "resource": terminal, "title": self._request.command, "isPty": True}
        try:
            shown = {"toolCallId": self._request.tool_call_id, "content": [content]}
            await emit({"type": "chat/toolCallContentChanged", **shown})
            end = await commands.finished(self._log, terminal)
        except BaseException:
            await asyncio.shield(commands.stop(self._log, terminal))
            raise
        return _result(content, end)


async def run_for_user(sink: Sink, command: str) -> None:
    """A message that is a shell command: a tool call which nobody has to confirm, since its user has asked for it."""
    call = str(uuid.uuid4())
    start = {"toolName": "run_command", "displayName": "Run command", "intention": command}
    await sink.emit({"type": "chat/toolCallStart", "toolCallId": call, **start})
    ready = {"invocationMessage": command, "toolInput": command, "confirmed": "user-action"}
    await sink.emit({"type": "chat/toolCallReady", "toolCallId": call, **ready})
    result = await sink.terminal(call, command)
    await sink.emit({"type": "chat/toolCallComplete", "toolCallId": call, "result": result})


def _result(content: Json, end: CommandEnd) -> Json:
    outcome: Json = {"preview": end.preview, "truncated": end.truncated}
    if end.exit_code is not None:
        outcome["exitCode"] = end.exit_code
    said = {"pastTenseMessage": f"Ran {content['title']}", "content": [{**content, "result": outcome}]}
    if end.exit_code == 0:
        return {"success": True, **said}
    reason = "its terminal was closed" if end.exit_code is None else f"exit code {end.exit_code}"
    return {"success": False, **said, "error": {"message": reason}}
