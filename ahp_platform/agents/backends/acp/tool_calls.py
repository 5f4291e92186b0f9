"""How do an agent's tool calls run through the protocol's states, in whatever order it tells of them?

    streaming -> running <-> asking -> done

An agent may say that a call runs, ask whether it may, say again that it runs, and answer much later: while somebody is asked,
nothing but the answer moves the call on. Calls bear ids of ours, since agents use theirs again.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from acp.schema import FileEditToolCallContent, PermissionOption, ToolCallProgress, ToolCallStart, ToolCallUpdate

from ahp_platform.agents.backend import Decision, Json, Sink, ToolCall, TurnOver, TurnRequest
from ahp_platform.agents.backends.acp import permissions
from ahp_platform.agents.backends.acp.places import path_of, without_places
from ahp_platform.agents.backends.acp.tool_content import Content, Contents, diffs

Update = ToolCallStart | ToolCallProgress | ToolCallUpdate
Phase = Literal["streaming", "running", "asking", "done"]

# A running call's content is shown at most this often, all of it each time.
SHOW_EVERY_S = 0.25
MAX_INPUT, MAX_OUTPUT = 256 * 1024, 32 * 1024

NAMES: Final = {
    "read": ("Read", "Read {}"),
    "edit": ("Edit", "Edited {}"),
    "delete": ("Delete", "Deleted {}"),
    "move": ("Move", "Moved {}"),
    "search": ("Search", "Searched {}"),
    "execute": ("Run", "Ran {}"),
    "think": ("Think", "{}"),
    "fetch": ("Fetch", "Fetched {}"),
    "switch_mode": ("Switch mode", "{}"),
}

_IDENTIFIER = re.compile(r"[A-Za-z_][\w.-]{0,63}")


@dataclass
class Call:
    """What is known of one call."""

    id: str = field(default_factory=lambda: str(uuid.uuid4()))
    phase: Phase = "streaming"
    confirmed: str = "not-needed"
    title: str = ""
    kind: str = ""
    locations: list[Json] = field(default_factory=list)
    raw_input: Any = None
    raw_output: Any = None
    content: Sequence[Content] = ()
    edits: dict[str, FileEditToolCallContent] = field(default_factory=dict)
    said: tuple[str, str] | None = None
    shown_at: float = 0.0

    def take(self, update: Update) -> None:
        """Take over what an update says; what it leaves out stays."""
        self.title = update.title or self.title
        self.kind = update.kind or self.kind
        if update.locations is not None:
            known = ({"path": each.path, "line": each.line} for each in update.locations)
            self.locations = [{key: value for key, value in each.items() if value is not None} for each in known]
        self.raw_input = self.raw_input if update.raw_input is None else update.raw_input
        self.raw_output = self.raw_output if update.raw_output is None else update.raw_output
        if update.content is not None:
            self.content = update.content
            # Some agents show a diff when they ask and no more when they are done.
            self.edits.update(diffs(update.content))

    @property
    def meta(self) -> Json:
        """What the protocol has no field for."""
        known = {"kind": self.kind, "locations": self.locations}
        return {name: value for name, value in known.items() if value}

    @property
    def input(self) -> str:
        """Its input as text."""
        if self.raw_input is None:
            return ""
        text = self.raw_input if isinstance(self.raw_input, str) else json.dumps(self.raw_input, ensure_ascii=False)
        return text[:MAX_INPUT]

    def start(self) -> Json:
        """The fields of `chat/toolCallStart`."""
        name = self.title if _IDENTIFIER.fullmatch(self.title) else self.kind or "tool"
        shown = NAMES[self.kind][0] if self.kind in NAMES else self.title or "Tool"
        intention = {"intention": self.title} if self.title and name != self.title else {}
        return {"toolName": name, "displayName": shown, **intention}


class ToolCalls:
    """The tool calls of one turn."""

    def __init__(self, sink: Sink, contents: Contents, request: TurnRequest) -> None:
        self._sink, self._contents, self._locale = sink, contents, request.locale
        self._places = [path_of(uri) for uri in request.working_directories]
        self._calls: dict[str, Call] = {}
        self._later: dict[str, asyncio.Task[None]] = {}

    @property
    def ids(self) -> frozenset[str]:
        """The agent's ids of the calls."""
        return frozenset(self._calls)

    @property
    def latest_open(self) -> str | None:
        """The id of the call that began last and is not done."""
        return next((call.id for call in reversed(self._calls.values()) if call.phase != "done"), None)

    async def update(self, update: Update) -> None:
        """What the agent says of a call."""
        call = await self._taken(update)
        if update.status in ("completed", "failed"):
            if call.phase != "done":
                await self._complete(call, success=update.status == "completed")
        elif call.phase == "running" or (call.phase == "streaming" and update.status == "in_progress"):
            await self._run(call)
            if update.content is not None:
                await self._show(call)

    async def permission(self, update: ToolCallUpdate, options: Sequence[PermissionOption]) -> Decision:
        """The agent asks whether it may."""
        call = await self._taken(update)
        if call.phase == "done":
            del self._calls[update.tool_call_id]
            call = await self._taken(update)
        call.phase = "asking"
        edits = [await self._contents.edit(diff) for diff in call.edits.values()]
        offered = permissions.confirmation_options(options, self._locale)
        title = NAMES[call.kind][0] if call.kind in NAMES else ""
        message = call.title or title or "Use a tool"
        decision = await self._sink.confirm(
            ToolCall(call.id, call.input, message, title=title, editable=False, options=offered, edits=edits)
        )
        call.phase, call.confirmed = ("running", "user-action") if decision.approved else ("done", "")
        return decision

    def finish(self) -> None:
        """The turn is over: what still runs is ended with it."""
        for task in self._later.values():
            task.cancel()

    async def _taken(self, update: Update) -> Call:
        call = self._calls.get(update.tool_call_id)
        if call is not None:
            self._take(call, update)
            return call
        call = self._calls[update.tool_call_id] = Call()
        self._take(call, update)
        await self._emit(call, "chat/toolCallStart", **call.start())
        return call

    def _take(self, call: Call, update: Update) -> None:
        call.take(update)
        call.title = without_places(call.title, self._places)

    async def _run(self, call: Call) -> None:
        said = call.title or "Use a tool", call.input
        if call.phase == "streaming" or said != call.said:
            call.phase, call.said = "running", said
            given = {"toolInput": call.input} if call.input else {}
            ready = {"invocationMessage": said[0], "confirmed": call.confirmed, **given}
            await self._emit(call, "chat/toolCallReady", **ready)

    async def _show(self, call: Call) -> None:
        if time.monotonic() - call.shown_at < SHOW_EVERY_S:
            if call.id not in self._later:
                self._later[call.id] = asyncio.create_task(self._show_later(call))
            return
        call.shown_at = time.monotonic()
        content = await self._contents.of(call.content, last=False)
        if call.phase == "running":
            await self._emit(call, "chat/toolCallContentChanged", content=content)

    async def _show_later(self, call: Call) -> None:
        await asyncio.sleep(SHOW_EVERY_S)
        del self._later[call.id]
        with suppress(TurnOver):
            await self._show(call)

    async def _complete(self, call: Call, *, success: bool) -> None:
        await self._run(call)
        call.phase = "done"
        content = await self._contents.of(call.content, last=True)
        if success:
            missing = [edit for path, edit in call.edits.items() if path not in diffs(call.content)]
            content = [*await self._contents.of(missing, last=True), *content]
        past = NAMES[call.kind][1] if success and call.kind in NAMES else "{}"
        result: Json = {"success": success, "pastTenseMessage": past.format(call.title or "a tool")}
        output = await self._output(call, result, shown=bool(content))
        result["content"] = [*content, *output]
        if not success:
            texts = [each["text"] for each in result["content"] if each["type"] == "text"]
            result["error"] = {"message": (texts or ["The tool failed"])[0][:500]}
        await self._emit(call, "chat/toolCallComplete", result=result)

    async def _output(self, call: Call, result: Json, *, shown: bool) -> list[Json]:
        """What the tool returned: structured beside the content, or as text where there is no other content."""
        if call.raw_output is None:
            return []
        text = call.raw_output if isinstance(call.raw_output, str) else json.dumps(call.raw_output, ensure_ascii=False)
        if isinstance(call.raw_output, dict) and len(text) <= MAX_OUTPUT:
            result["structuredContent"] = call.raw_output
        return [] if shown else await self._contents.text(text)

    async def _emit(self, call: Call, type_: str, **values: Any) -> None:
        meta = {"_meta": call.meta} if call.meta else {}
        await self._sink.emit({"type": type_, "toolCallId": call.id, **values, **meta})
