"""Which agents misbehave? Backends for tests, each bad in one way."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from ahp_platform.agents.backend import AgentSession, Json, Object, SessionInfo, Sink, ToolCall, TurnOver, TurnRequest

Work = Callable[[TurnRequest, Sink], Awaitable[None]]


@dataclass
class Rogue:
    """A backend and its one session: `work` is what it does with a prompt."""

    work: Work
    opening: Exception | None = None
    cancelled: list[str] = field(default_factory=list)
    steered: list[str] = field(default_factory=list)
    forked: list[Object] = field(default_factory=list)
    closed: int = 0

    idle_s: int = 0

    def info(self) -> Json:
        return {"provider": "demo"}

    def options(self) -> Json:
        return {}

    async def open(self, session: SessionInfo) -> AgentSession:
        if self.opening:
            raise self.opening
        return self

    async def prompt(self, turn: TurnRequest, sink: Sink) -> None:
        await self.work(turn, sink)

    async def steer(self, turn: TurnRequest, message: Object) -> bool:
        self.steered.append(message["text"])
        return True

    async def cancel(self, turn: TurnRequest) -> None:
        self.cancelled.append(turn.turn_id)

    async def fork(self, origin: Object, chat: str) -> None:
        self.forked.append(origin)

    async def close(self) -> None:
        self.closed += 1


def deaf(emitted: list[str], stop: asyncio.Event) -> Work:
    """Emits until `stop`, whatever it is told, and notes what became of each attempt."""

    async def work(turn: TurnRequest, sink: Sink) -> None:
        part = {"kind": "markdown", "id": f"part-{turn.turn_id}", "content": ""}
        await sink.emit({"type": "chat/responsePart", "part": part})
        while not stop.is_set():
            # Cancelled while it emits, sleeps or waits: it takes no notice anywhere.
            try:
                emitted.append(await attempt(turn, sink))
            except asyncio.CancelledError:
                emitted.append("cancelled")

    async def attempt(turn: TurnRequest, sink: Sink) -> str:
        try:
            await sink.emit({"type": "chat/delta", "partId": f"part-{turn.turn_id}", "content": turn.turn_id})
        except TurnOver:
            await stop.wait()
            return "refused"
        await asyncio.sleep(0.001)
        return "taken"

    return work


def asks_after_ready(executed: list[str]) -> Work:
    """Says that a call's arguments are complete, and 5 ms later, twice, that it needs permission; runs what was approved."""

    async def work(turn: TurnRequest, sink: Sink) -> None:
        await sink.emit({"type": "chat/toolCallStart", "toolCallId": "c", "toolName": "t", "displayName": "T"})
        ready = {"invocationMessage": "Do it", "toolInput": "first", "confirmed": "not-needed"}
        await sink.emit({"type": "chat/toolCallReady", "toolCallId": "c", **ready})
        await asyncio.sleep(0.005)
        calls = (ToolCall("c", text, "Do it") for text in ("first", "second"))
        first, last = await asyncio.gather(*(sink.confirm(call) for call in calls))
        assert first.approved
        executed.append(last.tool_input)
        result = {"success": True, "pastTenseMessage": "Done"}
        await sink.emit({"type": "chat/toolCallComplete", "toolCallId": "c", "result": result})

    return work


async def mute(turn: TurnRequest, sink: Sink) -> None:
    """Never says anything."""
    await asyncio.Event().wait()
