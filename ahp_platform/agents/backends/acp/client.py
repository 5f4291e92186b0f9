"""What may an agent ask of us while it works? The client's side of the protocol.

Everything is asked for a turn that runs; whatever comes later is refused. Files are those of the turn's working directories,
terminals those of the session.
"""

from __future__ import annotations

import shlex
import uuid
from collections.abc import Sequence
from typing import Any, NoReturn

from acp.exceptions import RequestError
from acp.schema import (
    AllowedOutcome,
    CreateElicitationResponse,
    CreateTerminalResponse,
    DeniedOutcome,
    ElicitationFormSessionMode,
    ElicitationMode,
    ElicitationUrlSessionMode,
    EnvVariable,
    PermissionOption,
    ReadTextFileResponse,
    RequestPermissionResponse,
    TerminalExitStatus,
    TerminalOutputResponse,
    ToolCallUpdate,
    WaitForTerminalExitResponse,
)

from ahp_platform.agents.backend import Command, CommandOutput, TurnFailed, TurnOver
from ahp_platform.agents.backends.acp import permissions, questions
from ahp_platform.agents.backends.acp.conversation import Find
from ahp_platform.agents.backends.acp.turn import RunningTurn

# What a terminal's scrollback holds anyway.
OUTPUT_BYTES = 1024 * 1024

KILLED = "SIGKILL"


class AgentClient:
    """The SDK's `Client` of one process."""

    def __init__(self, find: Find) -> None:
        self._find = find
        self._limits: dict[str, int] = {}

    async def request_permission(
        self, session_id: str, tool_call: ToolCallUpdate, options: Sequence[PermissionOption], **meta: Any
    ) -> RequestPermissionResponse:
        """May a tool call run?"""
        turn = self._turn(session_id)
        try:
            decision = await turn.permission(tool_call, options)
        except TurnOver:
            return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))
        option = None if turn.over else permissions.chosen(options, decision)
        if option is None:
            return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))
        return RequestPermissionResponse(outcome=AllowedOutcome(outcome="selected", option_id=option))

    async def read_text_file(
        self, session_id: str, path: str, line: int | None = None, limit: int | None = None, **meta: Any
    ) -> ReadTextFileResponse:
        """A file, or some of its lines, counted from 1."""
        turn = self._turn(session_id)
        try:
            text = await turn.sink.files.read(path)
        except (OSError, TurnOver) as error:
            _refuse(error)
        if line is not None or limit is not None:
            first = max(0, (line or 1) - 1)
            text = "".join(text.splitlines(keepends=True)[first : None if limit is None else first + limit])
        return ReadTextFileResponse(content=text)

    async def write_text_file(self, session_id: str, path: str, content: str, **meta: Any) -> None:
        """Make this the file's text."""
        turn = self._turn(session_id)
        try:
            await turn.sink.files.write(path, content)
        except (OSError, TurnOver) as error:
            _refuse(error)

    async def create_terminal(
        self,
        session_id: str,
        command: str,
        args: Sequence[str] | None = None,
        env: Sequence[EnvVariable] | None = None,
        cwd: str | None = None,
        output_byte_limit: int | None = None,
        **meta: Any,
    ) -> CreateTerminalResponse:
        """Run a command where everybody in the session can watch."""
        turn = self._turn(session_id)
        line = shlex.join([command, *args]) if args else command
        call = turn.calls.latest_open or str(uuid.uuid4())
        try:
            uri = await turn.sink.terminals.start(
                Command(line, call, cwd or "", {each.name: each.value for each in env or ()})
            )
        except (TurnFailed, TurnOver) as error:
            _refuse(error)
        terminal_id = uuid.uuid4().hex
        turn.commands.append(uri)
        turn.terminals.add(terminal_id, uri, line)
        self._limits[terminal_id] = min(output_byte_limit or OUTPUT_BYTES, OUTPUT_BYTES)
        return CreateTerminalResponse(terminal_id=terminal_id)

    async def terminal_output(self, session_id: str, terminal_id: str, **meta: Any) -> TerminalOutputResponse:
        """What a command has written so far."""
        turn, uri = self._terminal(session_id, terminal_id)
        output = await turn.sink.terminals.output(uri)
        whole = output.text.replace("\r\n", "\n").encode(errors="replace")
        kept = whole[-self._limits[terminal_id] :]
        status = _status(output) if output.ended else None
        return TerminalOutputResponse(
            output=kept.decode(errors="ignore"), truncated=len(kept) < len(whole), exit_status=status
        )

    async def wait_for_terminal_exit(
        self, session_id: str, terminal_id: str, **meta: Any
    ) -> WaitForTerminalExitResponse:
        """Wait for its end."""
        turn, uri = self._terminal(session_id, terminal_id)
        status = _status(await turn.sink.terminals.finished(uri))
        return WaitForTerminalExitResponse(exit_code=status.exit_code, signal=status.signal)

    async def kill_terminal(self, session_id: str, terminal_id: str, **meta: Any) -> None:
        """End it; what it wrote can still be asked for."""
        turn, uri = self._terminal(session_id, terminal_id)
        await turn.sink.terminals.end(uri)

    async def release_terminal(self, session_id: str, terminal_id: str, **meta: Any) -> None:
        """The agent needs it no more; people see what it showed."""
        await self.kill_terminal(session_id, terminal_id)

    async def create_elicitation(self, message: str, mode: ElicitationMode, **meta: Any) -> CreateElicitationResponse:
        """Ask the people in the chat."""
        if not isinstance(mode, ElicitationFormSessionMode | ElicitationUrlSessionMode):
            raise RequestError.invalid_params({"details": "only questions of a session can be asked"})
        turn = self._turn(mode.session_id)
        if isinstance(mode, ElicitationUrlSessionMode):
            request = questions.url_request(message, str(mode.url))
        else:
            schema = mode.requested_schema.model_dump(mode="json", by_alias=True, exclude_none=True)
            request = questions.request(message, schema)
        turn.voice.interrupt()
        try:
            return questions.response(await turn.sink.ask(request))
        except TurnOver:
            return questions.CANCELLED

    async def complete_elicitation(self, elicitation_id: str, **meta: Any) -> None:
        """Somebody has done what a page asked for; whoever opened it sees that there."""

    async def session_update(self, session_id: str, update: Any, **meta: Any) -> None:
        """Updates are taken before they come here (`Lines`)."""

    async def ext_method(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """We have no extensions."""
        raise RequestError.method_not_found(method)

    async def ext_notification(self, method: str, params: dict[str, Any]) -> None:
        """We have no extensions."""

    def on_connect(self, conn: Any) -> None:
        """The process has its own connection."""

    def _turn(self, session_id: str) -> RunningTurn:
        conversation = self._find(session_id)
        if conversation is None or conversation.turn is None or conversation.turn.over:
            raise RequestError.invalid_request({"details": "no turn of this session is running"})
        return conversation.turn

    def _terminal(self, session_id: str, terminal_id: str) -> tuple[RunningTurn, str]:
        turn = self._turn(session_id)
        uri = turn.terminals.uri(terminal_id)
        if uri is None:
            raise RequestError.resource_not_found(terminal_id)
        return turn, uri


def _status(output: CommandOutput) -> TerminalExitStatus:
    if output.exit_code is None:
        return TerminalExitStatus(signal=KILLED)
    return TerminalExitStatus(exit_code=output.exit_code)


def _refuse(error: Exception) -> NoReturn:
    """In words that tell nothing of what lies outside."""
    if isinstance(error, FileNotFoundError):
        raise RequestError.resource_not_found() from None
    if isinstance(error, TurnOver):
        raise RequestError.invalid_request({"details": "the turn has ended"}) from None
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    raise RequestError.invalid_params({"details": reason}) from None
