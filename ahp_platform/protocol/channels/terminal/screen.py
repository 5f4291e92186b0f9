"""What goes in and out of a terminal, and who holds it?"""

from __future__ import annotations

from typing import Final, Literal, NotRequired, TypedDict

from ahp_platform.protocol.channels.terminal.scrollback import trimmed
from ahp_platform.protocol.channels.terminal.table import TERMINAL
from ahp_platform.protocol.persistent import replaced, with_field
from ahp_platform.protocol.types.terminal import TerminalClaim, TerminalState
from ahp_platform.protocol.types.values import URI

# What a kernel's window size can hold.
_MAX_SIZE: Final = 65535


class TerminalDataAction(TypedDict):
    type: Literal["terminal/data"]
    data: str


class TerminalInputAction(TypedDict):
    type: Literal["terminal/input"]
    data: str


class TerminalResizedAction(TypedDict):
    type: Literal["terminal/resized"]
    cols: int
    rows: int


class TerminalClaimedAction(TypedDict):
    type: Literal["terminal/claimed"]
    claim: TerminalClaim


class TerminalTitleChangedAction(TypedDict):
    type: Literal["terminal/titleChanged"]
    title: str


class TerminalCwdChangedAction(TypedDict):
    type: Literal["terminal/cwdChanged"]
    cwd: URI


class TerminalExitedAction(TypedDict):
    type: Literal["terminal/exited"]
    exitCode: NotRequired[int]


class TerminalClearedAction(TypedDict):
    type: Literal["terminal/cleared"]


@TERMINAL.on("terminal/data", TerminalDataAction, appends=True)
def data(state: TerminalState, action: TerminalDataAction, now_ms: int) -> TerminalState:
    """Output joins the running command, or the text after the last one."""
    text, content = action["data"], state["content"]
    if not text:
        return state
    last = content[-1] if content else None
    if last is not None and last["type"] == "unclassified":
        return {**state, "content": trimmed(replaced(content, -1, {**last, "value": last["value"] + text}))}
    if last is not None and last["type"] == "command" and not last["isComplete"]:
        return {**state, "content": trimmed(replaced(content, -1, {**last, "output": last["output"] + text}))}
    return {**state, "content": trimmed([*content, {"type": "unclassified", "value": text}])}


def refuse_stranger(state: TerminalState, action: object, client_id: str) -> str | None:
    """Only the holder may. Whether a client belongs to the session that holds it, the session's state tells."""
    claim = state["claim"]
    if claim["kind"] == "client" and claim["clientId"] != client_id:
        return "Another client holds this terminal"
    return None


def refuse_input(state: TerminalState, action: TerminalInputAction, client_id: str) -> str | None:
    """A terminal that has exited takes no input."""
    if "exitCode" in state:
        return "The terminal has exited"
    return refuse_stranger(state, action, client_id)


@TERMINAL.on("terminal/input", TerminalInputAction, client_dispatchable=True, guard=refuse_input, signal=True)
def typed(state: TerminalState, action: TerminalInputAction, now_ms: int) -> TerminalState:
    """Goes to the pty; what it makes of it comes back as data."""
    return state


def refuse_size(state: TerminalState, action: TerminalResizedAction, client_id: str) -> str | None:
    """A window has at least one cell."""
    if 1 <= action["cols"] <= _MAX_SIZE and 1 <= action["rows"] <= _MAX_SIZE:
        return None
    return f"cols and rows must be from 1 to {_MAX_SIZE}"


@TERMINAL.on("terminal/resized", TerminalResizedAction, client_dispatchable=True, guard=refuse_size)
def resized(state: TerminalState, action: TerminalResizedAction, now_ms: int) -> TerminalState:
    """The window has another size; what it shows stays."""
    return {**state, "cols": action["cols"], "rows": action["rows"]}


@TERMINAL.on("terminal/claimed", TerminalClaimedAction, client_dispatchable=True, guard=refuse_stranger)
def claimed(state: TerminalState, action: TerminalClaimedAction, now_ms: int) -> TerminalState:
    """The holder hands the terminal on."""
    return {**state, "claim": action["claim"]}


@TERMINAL.on("terminal/titleChanged", TerminalTitleChangedAction, client_dispatchable=True)
def title_changed(state: TerminalState, action: TerminalTitleChangedAction, now_ms: int) -> TerminalState:
    """By an escape sequence, or by a client."""
    return {**state, "title": action["title"]}


@TERMINAL.on("terminal/cwdChanged", TerminalCwdChangedAction)
def cwd_changed(state: TerminalState, action: TerminalCwdChangedAction, now_ms: int) -> TerminalState:
    """Where the shell is."""
    return {**state, "cwd": action["cwd"]}


# A signal: a process that was killed has no exit code, so the state may stay the same, yet everybody must hear of it.
@TERMINAL.on("terminal/exited", TerminalExitedAction, signal=True)
def exited(state: TerminalState, action: TerminalExitedAction, now_ms: int) -> TerminalState:
    """The process is gone; without an exit code where it was killed."""
    return with_field(state, "exitCode", action.get("exitCode"))


@TERMINAL.on("terminal/cleared", TerminalClearedAction, client_dispatchable=True)
def cleared(state: TerminalState, action: TerminalClearedAction, now_ms: int) -> TerminalState:
    """The scrollback is emptied."""
    return {**state, "content": []}
