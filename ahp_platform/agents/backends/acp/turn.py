"""What does an agent show of one turn, and what does it ask in it?"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

from acp.schema import (
    AgentMessageChunk,
    AgentPlanContentUpdate,
    AgentPlanUpdate,
    AgentThoughtChunk,
    PermissionOption,
    PlanUpdateFile,
    PlanUpdateItems,
    PlanUpdateMarkdown,
    ToolCallProgress,
    ToolCallStart,
    ToolCallUpdate,
    UsageUpdate,
)

from ahp_platform.agents.backend import Decision, Json, Object, Sink, TurnFailed, TurnRequest, TurnStopped
from ahp_platform.agents.backends.acp.plan import Plan
from ahp_platform.agents.backends.acp.tool_calls import ToolCalls
from ahp_platform.agents.backends.acp.tool_content import Contents, Running
from ahp_platform.agents.backends.acp.updates import Update
from ahp_platform.agents.backends.acp.voice import MARKDOWN, REASONING, Voice

logger = logging.getLogger(__name__)

ENDINGS = {
    "max_tokens": ("maxTokens", "The answer was cut off: the model's limit of tokens is reached."),
    "max_turn_requests": ("maxRequests", "The agent stopped: the turn took more model requests than it may."),
    "refusal": ("refusal", "The agent refuses to go on with this message."),
}


class RunningTurn:
    """One turn, from its prompt to its end; `model` is the one that answers, where it is known.

    `over` is set once nothing more of it is shown, `done` once it is let go.
    """

    def __init__(self, request: TurnRequest, sink: Sink, terminals: Running) -> None:
        self.request, self.sink, self.terminals = request, sink, terminals
        self.model = ""
        self.over = False
        self.done = asyncio.Event()
        self.voice = Voice(sink)
        self.calls = ToolCalls(sink, Contents(sink, terminals), request)
        self.messages: set[str] = set()
        self.commands: list[str] = []
        self._plan = Plan(sink)
        self._usage: Json = {}
        self._meta: Json = {}

    async def update(self, update: Update) -> None:
        """Show what the agent reports."""
        match update:
            case AgentMessageChunk() | AgentThoughtChunk():
                kind = MARKDOWN if isinstance(update, AgentMessageChunk) else REASONING
                if update.message_id:
                    self.messages.add(update.message_id)
                await self.voice.say(kind, update.content, update.message_id)
                await self._count((update.field_meta or {}).get("usage"))
            case ToolCallStart() | ToolCallProgress():
                self.voice.interrupt()
                await self.calls.update(update)
            case AgentPlanUpdate():
                await self._show_plan(update)
            case AgentPlanContentUpdate():
                await self._show_plan(update.plan)
            case UsageUpdate():
                self._meta |= {"contextUsed": update.used, "contextSize": update.size}
                if update.cost is not None:
                    self._meta["cost"] = {"amount": update.cost.amount, "currency": update.cost.currency}
                await self._report()

    async def permission(self, call: ToolCallUpdate, options: Sequence[PermissionOption]) -> Decision:
        """Ask the people in the chat."""
        self.voice.interrupt()
        return await self.calls.permission(call, options)

    async def end_commands(self) -> None:
        """End the terminals that the agent started in this turn."""
        for terminal in self.commands:
            await self.sink.terminals.end(terminal)

    async def finish(self, result: Object) -> None:
        """The prompt was answered; raises what ends the turn in another way than as complete."""
        await self._count(result.get("usage"))
        await self._plan.finish()
        reason = result.get("stopReason")
        if reason == "cancelled":
            raise TurnStopped
        if reason in ENDINGS:
            raise TurnFailed(*ENDINGS[reason])

    async def _show_plan(self, plan: AgentPlanUpdate | PlanUpdateItems | PlanUpdateMarkdown | PlanUpdateFile) -> None:
        if not self._plan.shown:
            self.voice.interrupt()
        match plan:
            case AgentPlanUpdate() | PlanUpdateItems():
                await self._plan.show(plan.entries)
            case PlanUpdateMarkdown():
                await self._plan.show_text(plan.content)
            case PlanUpdateFile():
                await self._plan.show_text(plan.uri)

    async def _count(self, usage: object) -> None:
        if not isinstance(usage, dict):
            return
        names = {"inputTokens": "inputTokens", "outputTokens": "outputTokens", "cachedReadTokens": "cacheReadTokens"}
        counted = {ours: usage[theirs] for theirs, ours in names.items() if isinstance(usage.get(theirs), int)}
        if counted:
            self._usage |= counted
            await self._report()

    async def _report(self) -> None:
        usage = {
            **self._usage,
            **({"model": self.model} if self.model else {}),
            **({"_meta": self._meta} if self._meta else {}),
        }
        await self.sink.emit({"type": "chat/usage", "usage": usage})
