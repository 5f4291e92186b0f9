"""How does an agent call a tool of an MCP server of its session: with consent, and with what the server wants in between?

The call is shown with the server as its contributor. What the server asks becomes a question in the chat; a token that is missing
stops the call until its user has given one, or somebody completes the call as failed.
"""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import Iterator
from typing import Any

from ahp_platform.agents.backend import Json, Object, Sink, ToolCall, TurnFailed
from ahp_platform.agents.claims import Claim
from ahp_platform.agents.runner.ports import ports
from ahp_platform.agents.runner.waits import Waits
from ahp_platform.eventlog.log import TenantLog
from ahp_platform.mcp import elicitation, results


def server_named(session: Object, name: str) -> Object | None:
    """The MCP server of a session that is called so, if it is switched on."""
    return next((server for server in _servers(session) if name in (server["name"], server["id"])), None)


class McpCall:
    """One call of a tool."""

    def __init__(self, sink: Sink, claim: Claim, log: TenantLog, waits: Waits) -> None:
        self._sink, self._claim, self._log, self._waits = sink, claim, log, waits
        self._id = str(uuid.uuid4())

    async def run(self, server: Object, tool: str, tool_input: str) -> Json:
        """From its start to its end: the `ToolCallResult`."""
        title = f"{tool} ({server['name']})"
        contributor = {"kind": "mcp", "customizationId": server["id"]}
        start = {"toolName": tool, "displayName": title, "contributor": contributor, "intention": f"Call {title}"}
        await self._sink.emit({"type": "chat/toolCallStart", "toolCallId": self._id, **start})
        await self._sink.emit({"type": "chat/toolCallDelta", "toolCallId": self._id, "content": tool_input})
        wanted = ToolCall(self._id, tool_input, f"Call {title}", title=f"Call a tool of {server['name']}?")
        decision = await self._sink.confirm(wanted)
        if not decision.approved:
            return results.failed(title, decision.suggestion or "It was not allowed", "denied")
        try:
            arguments = _arguments(decision.tool_input)
        except ValueError:
            return await self._complete(results.failed(title, "The input is no JSON object"))
        return await self._served(title, server["id"], {"name": tool, "arguments": arguments})

    async def _served(self, title: str, server: str, params: Json) -> Json:
        # Whoever does not want to give a token completes the call as failed.
        given_up = asyncio.ensure_future(self._waits.expect("result", self._id))
        calling = asyncio.ensure_future(self._call(server, params))
        try:
            either: set[asyncio.Future[Any]] = {given_up, calling}
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if not calling.done():
                return given_up.result() or results.failed(title, "The turn ended")
            try:
                result = results.tool_result(title, calling.result())
            except TurnFailed as failure:
                result = results.failed(title, failure.message)
            return await self._complete(result)
        finally:
            given_up.cancel()
            calling.cancel()
            await asyncio.gather(calling, return_exceptions=True)

    async def _call(self, server: str, params: Json) -> Json:
        claim = self._claim
        return await ports().mcp_tools.call(self._log, claim.session, server, params, claim.user_id, self._hear)

    async def _hear(self, aside: Json) -> Json:
        if aside["kind"] == "elicitation":
            request = elicitation.questions_of(aside["params"])
            answers = await self._sink.ask(request)
            return elicitation.content_of(aside["params"], answers.response, answers.answers)
        if aside["kind"] == "authRequired":
            await self._sink.emit({"type": "chat/toolCallAuthRequired", "toolCallId": self._id, "auth": aside["auth"]})
        elif aside["kind"] == "authResolved":
            await self._sink.emit({"type": "chat/toolCallAuthResolved", "toolCallId": self._id})
        return {}

    async def _complete(self, result: Json) -> Json:
        await self._sink.emit({"type": "chat/toolCallComplete", "toolCallId": self._id, "result": result})
        return result


def _servers(session: Object) -> Iterator[Any]:
    for item in session.get("customizations", ()):
        inside = item.get("children", ()) if item["enabled"] else ()
        yield from (each for each in (item, *inside) if each["type"] == "mcpServer" and each["enabled"])


def _arguments(text: str) -> Json:
    arguments = json.loads(text or "{}")
    if not isinstance(arguments, dict):
        raise ValueError(text)
    return arguments
