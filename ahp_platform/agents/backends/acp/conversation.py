"""What is one chat to an agent? A session of its own, of which it reports whenever it likes.

Reports belong to whatever turn runs when they come. So what an agent still has to say of a turn that has ended is told by the
messages and calls that it names, where it names any.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from acp.schema import (
    AgentMessageChunk,
    AgentThoughtChunk,
    AvailableCommandsUpdate,
    ConfigOptionUpdate,
    CurrentModeUpdate,
    SessionInfoUpdate,
    ToolCallProgress,
    UserMessageChunk,
)

from ahp_platform.agents.backend import Desk, Json, Remembered
from ahp_platform.agents.backends.acp.options import MODE, MODEL, Choice, choices
from ahp_platform.agents.backends.acp.process import AgentProcess
from ahp_platform.agents.backends.acp.tool_content import Running
from ahp_platform.agents.backends.acp.turn import RunningTurn
from ahp_platform.agents.backends.acp.updates import Update


@dataclass(frozen=True, slots=True)
class Old:
    """What the turn before was made of."""

    messages: frozenset[str] = frozenset()
    calls: frozenset[str] = frozenset()

    def has(self, update: Update, turn: RunningTurn) -> bool:
        """Whether a report is of that turn and not of this."""
        if isinstance(update, AgentMessageChunk | AgentThoughtChunk):
            return update.message_id in self.messages
        return isinstance(update, ToolCallProgress) and update.tool_call_id in self.calls - turn.calls.ids


@dataclass
class Conversation:
    """`id` is the agent's own, valid in `process`, which was prompted with the turn `seen` last: another host may have gone on
    since with a process of its own. `lock` is held by the turn that runs.
    """

    chat: str
    desk: Desk
    id: str = ""
    seen: str = ""
    process: AgentProcess | None = None
    choices: list[Choice] = field(default_factory=list)
    turn: RunningTurn | None = None
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    terminals: Running = field(default_factory=Running)
    # Set when something comes that belongs to no turn; `strays` counts it.
    stirred: asyncio.Event = field(default_factory=asyncio.Event)
    strays: int = 0
    # The turn before was cancelled; the agent may not have noticed.
    unsettled: bool = False
    # It has been prompted, and nobody knows whether it is still at it.
    unanswered: bool = False
    # The agent's session is of no use any more.
    spoilt: bool = False
    _old: Old = field(default_factory=Old)
    _title: str | None = None

    async def remembered(self) -> Remembered | None:
        """The agent's session, wherever it was made."""
        return None if self.spoilt else await self.desk.remembered(self.chat)

    async def prompted(self, turn_id: str) -> None:
        """The agent is about to be prompted with this turn."""
        await self.desk.remember(self.chat, Remembered(self.id, turn_id))
        self.seen = turn_id

    def end(self, turn: RunningTurn) -> None:
        """Nothing more of the turn is shown."""
        turn.over = True
        turn.calls.finish()
        if self.turn is turn:
            self.turn = None
            self._old = Old(frozenset(turn.messages), turn.calls.ids)
            self.stirred.clear()
            self.strays = 0

    async def update(self, update: Update) -> None:
        """What the agent reports."""
        match update:
            case AvailableCommandsUpdate():
                await self.desk.offer(self.chat, [_command(each.model_dump()) for each in update.available_commands])
            case SessionInfoUpdate():
                if update.title and update.title != self._title:
                    self._title = update.title
                    await self.desk.entitle(self.chat, update.title)
            case CurrentModeUpdate():
                mode = update.current_mode_id
                await self._chosen([_set(each, mode) if each.category == MODE else each for each in self.choices])
            case ConfigOptionUpdate():
                reported = update.model_dump(mode="json", by_alias=True)
                await self._chosen(choices({"configOptions": reported["configOptions"]}))
            case UserMessageChunk():
                pass
            case _:
                await self._show(update)

    def set(self, choice: Choice, value: str | bool, result: Json) -> None:
        """A choice was made; the agent may have said what else changed with it."""
        if "configOptions" in result:
            self.choices = choices(result)
        else:
            self.choices = [_set(each, value) if each == choice else each for each in self.choices]

    async def _show(self, update: Update) -> None:
        turn = self.turn
        if turn is None or turn.over:
            self.strays += 1
            self.stirred.set()
        elif not self._old.has(update, turn):
            await turn.update(update)

    async def _chosen(self, found: list[Choice]) -> None:
        """The agent itself changed what is chosen: the session's configuration follows."""
        before = {choice.property_name: choice.current for choice in self.choices}
        self.choices = found
        changed = {each.property_name: each.current for each in found if each.category != MODEL}
        values = {name: value for name, value in changed.items() if name in before and before[name] != value}
        if values:
            await self.desk.configure(values)


# The conversation of an agent's session id.
Find = Callable[[str], Conversation | None]


def _set(choice: Choice, value: str | bool) -> Choice:
    return replace(choice, current=value)


def _command(command: Json) -> Json:
    known = {"name": command["name"], "description": command.get("description") or ""}
    hint = (command.get("input") or {}).get("hint")
    return {**known, "hint": hint} if hint else known
