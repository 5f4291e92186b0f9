"""Which commands ran in a terminal?

Known only with shell integration, which may come up after the terminal does.
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from ahp_platform.protocol.channels.terminal.table import TERMINAL
from ahp_platform.protocol.persistent import replaced, with_field
from ahp_platform.protocol.types.terminal import TerminalCommandPart, TerminalState


class TerminalCommandDetectionAvailableAction(TypedDict):
    type: Literal["terminal/commandDetectionAvailable"]


class TerminalCommandExecutedAction(TypedDict):
    type: Literal["terminal/commandExecuted"]
    commandId: str
    commandLine: str
    timestamp: float


class TerminalCommandFinishedAction(TypedDict):
    type: Literal["terminal/commandFinished"]
    commandId: str
    exitCode: NotRequired[int]
    durationMs: NotRequired[float]


@TERMINAL.on("terminal/commandDetectionAvailable", TerminalCommandDetectionAvailableAction)
def detection_available(
    state: TerminalState, action: TerminalCommandDetectionAvailableAction, now_ms: int
) -> TerminalState:
    """The shell tells where commands begin and end."""
    return {**state, "supportsCommandDetection": True}


@TERMINAL.on("terminal/commandExecuted", TerminalCommandExecutedAction)
def executed(state: TerminalState, action: TerminalCommandExecutedAction, now_ms: int) -> TerminalState:
    """A command began: the data that follow are its output."""
    part: TerminalCommandPart = {
        "type": "command",
        "commandId": action["commandId"],
        "commandLine": action["commandLine"],
        "output": "",
        "timestamp": action["timestamp"],
        "isComplete": False,
    }
    return {**state, "content": [*state["content"], part], "supportsCommandDetection": True}


@TERMINAL.on("terminal/commandFinished", TerminalCommandFinishedAction)
def finished(state: TerminalState, action: TerminalCommandFinishedAction, now_ms: int) -> TerminalState:
    """A command ended: data after it belong to no command."""
    content = state["content"]
    for index in range(len(content) - 1, -1, -1):
        part = content[index]
        if part["type"] == "command" and part["commandId"] == action["commandId"]:
            done: TerminalCommandPart = {**part, "isComplete": True}
            done = with_field(done, "exitCode", action.get("exitCode"))
            done = with_field(done, "durationMs", action.get("durationMs"))
            return {**state, "content": replaced(content, index, done)}
    return state
