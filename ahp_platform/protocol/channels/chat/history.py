"""How is the past of a chat cut off, and how are older turns brought in?"""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from ahp_platform.protocol import status
from ahp_platform.protocol.channels.chat.table import CHAT
from ahp_platform.protocol.persistent import find, timestamp, with_field, without
from ahp_platform.protocol.types.chat import ChatState, Turn


class ChatTruncatedAction(TypedDict):
    type: Literal["chat/truncated"]
    turnId: NotRequired[str]


class ChatTurnsLoadedAction(TypedDict):
    type: Literal["chat/turnsLoaded"]
    turns: list[Turn]
    turnsNextCursor: NotRequired[str]


def refuse_truncated(state: ChatState, action: ChatTruncatedAction, client_id: str) -> str | None:
    """The turn to keep must be a completed one."""
    if "turnId" in action and find(state["turns"], "id", action["turnId"]) is None:
        return "There is no such turn"
    return None


@CHAT.on("chat/truncated", ChatTruncatedAction, client_dispatchable=True, guard=refuse_truncated)
def truncated(state: ChatState, action: ChatTruncatedAction, now_ms: int) -> ChatState:
    """Everything after the turn is gone, the active turn too; without a turn, everything."""
    if "turnId" in action:
        last = find(state["turns"], "id", action["turnId"])
        if last is None:
            return state
        turns, emptied = state["turns"][: last + 1], without(state, "activeTurn")
    else:
        turns, emptied = [], without(state, "activeTurn", "turnsNextCursor")
    return {
        **emptied,
        "turns": turns,
        "status": status.with_activity(state["status"], status.IDLE),
        "modifiedAt": timestamp(now_ms),
    }


@CHAT.on("chat/turnsLoaded", ChatTurnsLoadedAction)
def turns_loaded(state: ChatState, action: ChatTurnsLoadedAction, now_ms: int) -> ChatState:
    """Older turns, oldest first, before those that are there; one that is there stays as it is."""
    known = {turn["id"] for turn in state["turns"]}
    older = [turn for turn in action["turns"] if turn["id"] not in known]
    changed: ChatState = {**state, "turns": [*older, *state["turns"]]} if older else state
    return with_field(changed, "turnsNextCursor", action.get("turnsNextCursor"))
