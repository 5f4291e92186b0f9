"""How do people see an agent's plan, which the protocol has no place for?

As a tool call of its own whose content is the list as it stands, replaced with every change and complete with the turn.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Final

from acp.schema import PlanEntry

from ahp_platform.agents.backend import Json, Sink

MARKS: Final = {"pending": "[ ]", "in_progress": "[~]", "completed": "[x]"}

TITLE = "Plan"


class Plan:
    """The plan of one turn, if it has one."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._call = ""
        self._content: list[Json] = []
        self._meta: Json = {}

    @property
    def shown(self) -> bool:
        """Whether there is one."""
        return bool(self._call)

    async def show(self, entries: Sequence[PlanEntry]) -> None:
        """The plan as it is now."""
        lines = [f"- {MARKS[entry.status]} {entry.content}" for entry in entries]
        listed = [{"content": each.content, "priority": each.priority, "status": each.status} for each in entries]
        self._meta = {"kind": "plan", "entries": listed}
        await self.show_text("\n".join(lines))

    async def show_text(self, text: str) -> None:
        """The plan, as the agent writes it itself."""
        self._content = [{"type": "text", "text": text}]
        if not self._call:
            await self._begin()
        await self._emit("chat/toolCallContentChanged", content=self._content)

    async def finish(self) -> None:
        """The turn is over."""
        if self._call:
            result = {"success": True, "pastTenseMessage": TITLE, "content": self._content}
            await self._emit("chat/toolCallComplete", result=result)
            self._call = ""

    async def _begin(self) -> None:
        self._call = str(uuid.uuid4())
        await self._emit("chat/toolCallStart", toolName="plan", displayName=TITLE)
        await self._emit("chat/toolCallReady", invocationMessage=TITLE, confirmed="not-needed")

    async def _emit(self, type_: str, **values: object) -> None:
        meta = {"_meta": self._meta} if self._meta else {}
        await self._sink.emit({"type": type_, "toolCallId": self._call, **values, **meta})
