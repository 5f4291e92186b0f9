"""How does the practice agent work through a prompt?

Line by line; a steering message adds its lines to those of the running turn.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable, Mapping

from ahp_platform.agents.backend import Object, Sink, TurnFailed, TurnRequest
from ahp_platform.agents.backends.practice import questions, talk, tools

Command = Callable[[TurnRequest, Sink, str], Awaitable[None]]

COMMANDS: Mapping[str, Command] = {
    "say": talk.say,
    "stream": talk.stream,
    "think": talk.think,
    "usage": talk.usage,
    "fail": talk.fail,
    "wait": talk.wait,
    "tool": tools.write_file,
    "run": tools.run,
    "client": tools.client,
    "mcp": tools.mcp,
    "worker": tools.worker,
    "ask": questions.ask,
}


class PracticeSession:
    """An `AgentSession`. It remembers nothing between turns, so forks and side chats need nothing."""

    def __init__(self) -> None:
        self._lines: dict[tuple[str, str], deque[str]] = {}

    async def prompt(self, turn: TurnRequest, sink: Sink) -> None:
        """See `AgentSession`."""
        lines = self._lines[turn.chat, turn.turn_id] = deque(_lines(turn.message))
        try:
            while lines:
                await obey(turn, sink, lines.popleft())
        finally:
            del self._lines[turn.chat, turn.turn_id]

    async def steer(self, turn: TurnRequest, message: Object) -> bool:
        """See `AgentSession`."""
        lines = self._lines.get((turn.chat, turn.turn_id))
        if lines is None:
            return False
        lines.extend(_lines(message))
        return True

    async def cancel(self, turn: TurnRequest) -> None:
        """See `AgentSession`: the runner cancels `prompt` itself, which is enough here."""

    async def fork(self, origin: Object, chat: str) -> None:
        """See `AgentSession`."""

    async def close(self) -> None:
        """See `AgentSession`."""


class ProtectedPracticeSession(PracticeSession):
    """The same for those who have given a token."""

    def __init__(self, resource: str) -> None:
        super().__init__()
        self._resource = resource

    async def prompt(self, turn: TurnRequest, sink: Sink) -> None:
        """See `AgentSession`."""
        if self._resource not in turn.credentials:
            raise TurnFailed(
                "authRequired", f"This agent needs your token for {self._resource}. Authenticate and try again."
            )
        await super().prompt(turn, sink)


async def obey(turn: TurnRequest, sink: Sink, line: str) -> None:
    """Carry out one line; what is no command is said."""
    name, _, rest = line.strip().partition(" ")
    command = COMMANDS.get(name)
    if command is None:
        await talk.say(turn, sink, line.strip())
    else:
        await command(turn, sink, rest.strip())


def _lines(message: Object) -> list[str]:
    return [line for line in message["text"].split("\n") if line.strip()]
