"""What happens when an agent says, asks or calls something?"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Sequence
from pathlib import Path

from django.conf import settings

from ahp_platform.agents.backend import (
    Answers,
    Decision,
    Files,
    Json,
    Object,
    Terminals,
    ToolCall,
    TurnRequest,
    WorkerResult,
)
from ahp_platform.agents.claims import Claim
from ahp_platform.agents.labels import confirmation_options
from ahp_platform.agents.runner import client_tools
from ahp_platform.agents.runner.mcp_tools import McpCall, server_named
from ahp_platform.agents.runner.ports import CommandRequest
from ahp_platform.agents.runner.tool_commands import ToolCommand
from ahp_platform.agents.runner.turn_files import TurnFiles
from ahp_platform.agents.runner.turn_terminals import TurnTerminals
from ahp_platform.agents.runner.waits import Waits
from ahp_platform.agents.runner.workers import Worker
from ahp_platform.agents.runner.writer import TurnWriter
from ahp_platform.agents.workspace_files import WorkspaceFiles
from ahp_platform.agents.workspace_write import write_text
from ahp_platform.eventlog.log import TenantLog
from ahp_platform.eventlog.view import Refused
from ahp_platform.workspaces import paths

# What an agent may emit. The other actions of a chat are made from what it calls, or belong to the runner.
EMITTED = frozenset(
    {
        "chat/activityChanged",
        "chat/delta",
        "chat/reasoning",
        "chat/responsePart",
        "chat/toolCallAuthRequired",
        "chat/toolCallAuthResolved",
        "chat/toolCallComplete",
        "chat/toolCallContentChanged",
        "chat/toolCallDelta",
        "chat/toolCallReady",
        "chat/toolCallStart",
        "chat/usage",
    }
)
WITHOUT_TURN = frozenset({"chat/activityChanged"})


class TurnSink:
    """The `Sink` of one turn."""

    def __init__(self, claim: Claim, log: TenantLog, writer: TurnWriter, waits: Waits) -> None:
        self._claim, self._log, self._writer, self._waits = claim, log, writer, waits
        self._locale, self._directory = "en", ""
        self._know_files(())

    def describe(self, request: TurnRequest) -> None:
        """What became known of the turn after it was claimed."""
        self._locale, self._directory = request.locale, next(iter(request.working_directories), "")
        self._know_files(request.working_directories)

    @property
    def files(self) -> Files:
        """See `Sink`."""
        return self._files

    @property
    def terminals(self) -> Terminals:
        """See `Sink`."""
        return self._terminals

    def _know_files(self, directories: Sequence[str]) -> None:
        files = WorkspaceFiles(paths.root(self._log.slug), directories)
        self._files = TurnFiles(self._claim, files, self._waits)
        self._terminals = TurnTerminals(self._claim, self._log, files, self._waits)

    async def emit(self, action: Json) -> None:
        """See `Sink`."""
        if action["type"] not in EMITTED:
            raise ValueError(f"agents do not emit {action['type']}")
        turn = {} if action["type"] in WITHOUT_TURN else {"turnId": self._claim.key.turn_id}
        await self._writer.put({**action, **turn})

    async def confirm(self, call: ToolCall) -> Decision:
        """See `Sink`."""
        options: Sequence[Object] = call.options or confirmation_options(self._locale)
        action: Json = {
            "type": "chat/toolCallReady",
            "toolCallId": call.id,
            "invocationMessage": call.invocation_message,
            "toolInput": call.tool_input,
            "editable": call.editable,
            "options": list(options),
        }
        if call.edits:
            action["edits"] = {"items": list(call.edits)}
        if call.risk is not None:
            action["riskAssessment"] = dict(call.risk)
        answer = self._waits.expect("confirmation", call.id)
        await self.emit({**action, "confirmationTitle": call.title} if call.title else action)
        return _decision(call, options, await answer)

    async def ask(self, request: Json) -> Answers:
        """See `Sink`."""
        answer = self._waits.expect("answers", request["id"])
        await self._writer.put({"type": "chat/inputRequested", "request": request})
        completed = await answer
        if completed is None:
            return Answers("cancel", {})
        return Answers(completed["response"], completed["answers"])

    async def client_tool(self, name: str, tool_input: str) -> Json | None:
        """See `Sink`."""
        call_id = str(uuid.uuid4())
        answer = self._waits.expect("result", call_id)
        try:
            await self._writer.append(
                client_tools.begin(self._claim.key, self._claim.session, call_id, name, tool_input)
            )
        except Refused:
            return None
        return await answer or {"success": False, "pastTenseMessage": "The turn ended"}

    async def mcp_tool(self, server: str, name: str, tool_input: str) -> Json | None:
        """See `Sink`."""
        found = server_named(await self._log.state(self._claim.session), server)
        if found is None:
            return None
        return await McpCall(self, self._claim, self._log, self._waits).run(found, name, tool_input)

    async def worker(self, tool_call_id: str, title: str, text: str) -> WorkerResult:
        """See `Sink`."""
        await self._writer.drain()
        with self._waits.elsewhere():
            origin = (self._claim.key.chat, tool_call_id)
            worker = await Worker.opened(self._log, self._claim.session, origin, title)
            return await worker.run(text, self._claim.user_id)

    async def write_file(self, path: str, text: str) -> Json:
        """See `Sink`."""
        if not self._directory:
            raise FileNotFoundError("the session has no working directory")
        tenant_root: Path = settings.AHP_DATA_DIR / "workspaces" / self._log.slug
        return await asyncio.to_thread(write_text, tenant_root, self._directory, path, text)

    async def terminal(self, tool_call_id: str, command: str) -> Json:
        """See `Sink`."""
        key, session = self._claim.key, self._claim.session
        request = CommandRequest(session, key.turn_id, tool_call_id, command, self._directory, self._claim.user_id)
        await self._writer.drain()
        with self._waits.elsewhere():
            return await ToolCommand(self._log, request).run(self.emit)


def _decision(call: ToolCall, options: Sequence[Object], confirmed: Json | None) -> Decision:
    if confirmed is None:
        return Decision(False, call.tool_input)
    option = next((each for each in options if each["id"] == confirmed.get("selectedOptionId")), None)
    suggestion = confirmed.get("userSuggestion", {}).get("text", "")
    return Decision(confirmed["approved"], confirmed.get("editedToolInput", call.tool_input), option, suggestion)
