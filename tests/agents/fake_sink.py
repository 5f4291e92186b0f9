"""What does an agent do when nobody else is there? A sink that keeps what it is given and answers from a script."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ahp_platform.agents.backend import (
    Answers,
    Command,
    CommandOutput,
    Decision,
    Json,
    ToolCall,
    TurnRequest,
    WorkerResult,
)

NOBODY_ANSWERS = Answers("cancel", {})
WORKED = WorkerResult("ahp-chat:/worker", "complete", "done")


@dataclass
class FakeFiles:
    """Texts by path, each path as it is asked for."""

    texts: dict[str, str] = field(default_factory=dict)
    edits: list[tuple[str, str | None, str | None]] = field(default_factory=list)

    async def read(self, path: str) -> str:
        if path not in self.texts:
            raise FileNotFoundError(path)
        return self.texts[path]

    async def write(self, path: str, text: str) -> None:
        self.texts[path] = text

    async def edit(self, path: str, before: str | None, after: str | None) -> Json:
        self.edits.append((path, before, after))
        sides = (("before", before), ("after", after))
        return {name: {"uri": path, "content": {"uri": str(text)}} for name, text in sides if text is not None}

    async def keep(self, data: bytes, content_type: str) -> Json:
        return {"uri": f"kept:{len(data)}", "sizeHint": len(data), "contentType": content_type}


@dataclass
class FakeTerminals:
    """Commands that have written `said` and ended well."""

    started: list[Command] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)
    said: str = "done\r\n"

    async def start(self, command: Command) -> str:
        self.started.append(command)
        return f"ahp-terminal:/{len(self.started)}"

    async def output(self, terminal: str) -> CommandOutput:
        return CommandOutput(self.said, ended=True, exit_code=0)

    async def finished(self, terminal: str) -> CommandOutput:
        return await self.output(terminal)

    async def end(self, terminal: str) -> None:
        self.ended.append(terminal)


@dataclass
class FakeSink:
    """The answers may be replaced before the prompt."""

    emitted: list[Json] = field(default_factory=list)
    decision: Decision | None = None
    answers: Answers = NOBODY_ANSWERS
    tool_result: Json | None = None
    worker_result: WorkerResult = WORKED
    calls: list[tuple[str, ...]] = field(default_factory=list)
    write_error: OSError | None = None
    files: FakeFiles = field(default_factory=FakeFiles)
    terminals: FakeTerminals = field(default_factory=FakeTerminals)
    confirmed: list[ToolCall] = field(default_factory=list)

    async def emit(self, action: Json) -> None:
        self.emitted.append(action)

    async def confirm(self, call: ToolCall) -> Decision:
        self.calls.append(("confirm", call.id, call.tool_input))
        self.confirmed.append(call)
        return self.decision or Decision(True, call.tool_input)

    async def ask(self, request: Json) -> Answers:
        self.request = request
        return self.answers

    async def client_tool(self, name: str, tool_input: str) -> Json | None:
        self.calls.append(("client", name, tool_input))
        return self.tool_result

    async def mcp_tool(self, server: str, name: str, tool_input: str) -> Json | None:
        self.calls.append(("mcp", server, name, tool_input))
        return self.tool_result

    async def worker(self, tool_call_id: str, title: str, text: str) -> WorkerResult:
        self.calls.append(("worker", tool_call_id, text))
        return self.worker_result

    async def write_file(self, path: str, text: str) -> Json:
        if self.write_error:
            raise self.write_error
        self.calls.append(("write", path, text))
        return {"after": {"uri": f"file:///w/{path}", "content": {"uri": f"file:///w/{path}"}}}

    async def terminal(self, tool_call_id: str, command: str) -> Json:
        self.calls.append(("run", tool_call_id, command))
        ran = {"type": "terminal", "resource": "ahp-terminal:/t", "title": command, "result": {"exitCode": 0}}
        return {"success": True, "pastTenseMessage": f"Ran {command}", "content": [ran]}

    def of(self, type_: str) -> list[Json]:
        return [action for action in self.emitted if action["type"] == type_]

    @property
    def text(self) -> str:
        return "".join(action["content"] for action in self.of("chat/delta"))


def request(text: str, credentials: Mapping[str, str] | None = None, **message: Any) -> TurnRequest:
    origin = {"kind": "user"}
    return TurnRequest("ahp-chat:/c", "t1", {"text": text, "origin": origin, **message}, credentials=credentials or {})
