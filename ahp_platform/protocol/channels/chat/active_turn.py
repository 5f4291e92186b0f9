"""What is in the active turn of a chat, and how does a change of it reach the chat?

Parts and tool calls are looked for from the end, where the work is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from ahp_platform.protocol import status
from ahp_platform.protocol.persistent import replaced
from ahp_platform.protocol.types.chat import ActiveTurn, ChatState, ResponsePart, ToolCallResponsePart
from ahp_platform.protocol.types.tool_calls import ToolCallState

_WAITING = ("pending-confirmation", "pending-result-confirmation", "auth-required")


def active_turn(state: ChatState, turn_id: str) -> ActiveTurn | None:
    """The active turn, if it is this one."""
    turn = state.get("activeTurn")
    return turn if turn is not None and turn["id"] == turn_id else None


def with_parts(state: ChatState, turn: ActiveTurn, parts: list[ResponsePart]) -> ChatState:
    """The chat with these parts in its active turn."""
    return {**state, "activeTurn": {**turn, "responseParts": parts}}


def find_call(turn: ActiveTurn, call_id: str) -> int | None:
    """At which place of the parts the tool call stands."""
    parts = turn["responseParts"]
    for index in range(len(parts) - 1, -1, -1):
        part = parts[index]
        if part["kind"] == "toolCall" and part["toolCall"]["toolCallId"] == call_id:
            return index
    return None


def call_of(state: ChatState, turn_id: str, call_id: str) -> ToolCallState | None:
    """The tool call of the active turn, None where there is none."""
    turn = active_turn(state, turn_id)
    index = None if turn is None else find_call(turn, call_id)
    if turn is None or index is None:
        return None
    return cast(ToolCallResponsePart, turn["responseParts"][index])["toolCall"]


def change_call(state: ChatState, action: Any, change: Callable[[Any], ToolCallState | None]) -> ChatState:
    """The chat with one tool call moved on, and its status with it; None from `change` means that nothing fits."""
    turn = active_turn(state, action["turnId"])
    index = None if turn is None else find_call(turn, action["toolCallId"])
    if turn is None or index is None:
        return state
    part = cast(ToolCallResponsePart, turn["responseParts"][index])
    call = change(part["toolCall"])
    if call is None:
        return state
    if "_meta" in action:
        call = cast(ToolCallState, {**call, "_meta": action["_meta"]})
    changed: ToolCallResponsePart = {**part, "toolCall": call}
    after = with_parts(state, turn, replaced(turn["responseParts"], index, changed))
    return after if call["status"] == part["toolCall"]["status"] else restated(after)


def restated(state: ChatState) -> ChatState:
    """The chat with the activity that its active turn shows: working, or waiting for somebody."""
    waits = any(is_waiting(part) for part in state["activeTurn"]["responseParts"])
    activity = status.INPUT_NEEDED if waits else status.IN_PROGRESS
    return {**state, "status": status.with_activity(state["status"], activity)}


def is_waiting(part: ResponsePart) -> bool:
    """Whether the part is a block that somebody must answer."""
    if part["kind"] == "toolCall":
        return part["toolCall"]["status"] in _WAITING
    return part["kind"] == "inputRequest" and "response" not in part
