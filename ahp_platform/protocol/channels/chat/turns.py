"""How does a turn begin and end?

One turn is active at a time. Its end closes what is still open in it and moves it to the completed ones.
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict, cast

from ahp_platform.protocol import status
from ahp_platform.protocol.channels.chat.active_turn import active_turn
from ahp_platform.protocol.channels.chat.pending_messages import refuse_author, without_pending
from ahp_platform.protocol.channels.chat.table import CHAT
from ahp_platform.protocol.channels.chat.tool_calls import cancelled
from ahp_platform.protocol.persistent import timestamp, with_field, without
from ahp_platform.protocol.types.chat import ActiveTurn, ChatState, ResponsePart, Turn, TurnState
from ahp_platform.protocol.types.messages import Message
from ahp_platform.protocol.types.values import ErrorInfo, UsageInfo


class ChatTurnStartedAction(TypedDict):
    type: Literal["chat/turnStarted"]
    turnId: str
    startedAt: str
    message: Message
    queuedMessageId: NotRequired[str]
    _meta: NotRequired[dict[str, object]]


class ChatUsageAction(TypedDict):
    type: Literal["chat/usage"]
    turnId: str
    usage: UsageInfo
    _meta: NotRequired[dict[str, object]]


class ChatTurnCompleteAction(TypedDict):
    type: Literal["chat/turnComplete"]
    turnId: str
    duration: float
    _meta: NotRequired[dict[str, object]]


class ChatTurnCancelledAction(TypedDict):
    type: Literal["chat/turnCancelled"]
    turnId: str
    duration: float
    _meta: NotRequired[dict[str, object]]


class ChatErrorAction(TypedDict):
    type: Literal["chat/error"]
    turnId: str
    duration: float
    error: ErrorInfo
    _meta: NotRequired[dict[str, object]]


def refuse_started(state: ChatState, action: ChatTurnStartedAction, client_id: str) -> str | None:
    """One at a time, under an id of its own, and only with what a user says."""
    if "activeTurn" in state:
        return "A turn is in progress"
    if not action["turnId"]:
        return "turnId must not be empty"
    if any(turn["id"] == action["turnId"] for turn in state["turns"]):
        return "The turnId is taken"
    return refuse_author(state, action["message"])


@CHAT.on("chat/turnStarted", ChatTurnStartedAction, client_dispatchable=True, guard=refuse_started)
def turn_started(state: ChatState, action: ChatTurnStartedAction, now_ms: int) -> ChatState:
    """The agent is asked; a message that waited for it waits no more. What happens now was read by nobody."""
    if "activeTurn" in state:
        return state
    turn: ActiveTurn = {
        "id": action["turnId"],
        "startedAt": action["startedAt"],
        "message": action["message"],
        "responseParts": [],
    }
    if "queuedMessageId" in action:
        state = without_pending(state, action["queuedMessageId"])
    unread = status.with_flag(state["status"], status.READ, False)
    return {
        **state,
        "activeTurn": turn,
        "status": status.with_activity(unread, status.IN_PROGRESS),
        "modifiedAt": timestamp(now_ms),
    }


@CHAT.on("chat/usage", ChatUsageAction)
def usage(state: ChatState, action: ChatUsageAction, now_ms: int) -> ChatState:
    """What the turn has consumed so far."""
    turn = active_turn(state, action["turnId"])
    return state if turn is None else {**state, "activeTurn": {**turn, "usage": action["usage"]}}


@CHAT.on("chat/turnComplete", ChatTurnCompleteAction)
def turn_complete(state: ChatState, action: ChatTurnCompleteAction, now_ms: int) -> ChatState:
    """The agent is done."""
    return _ended(state, action, "complete", now_ms)


def refuse_cancelled(state: ChatState, action: ChatTurnCancelledAction, client_id: str) -> str | None:
    """Only what runs can be cancelled."""
    return None if active_turn(state, action["turnId"]) else "That turn is not in progress"


@CHAT.on("chat/turnCancelled", ChatTurnCancelledAction, client_dispatchable=True, guard=refuse_cancelled)
def turn_cancelled(state: ChatState, action: ChatTurnCancelledAction, now_ms: int) -> ChatState:
    """Somebody wants no more of it."""
    return _ended(state, action, "cancelled", now_ms)


@CHAT.on("chat/error", ChatErrorAction)
def turn_failed(state: ChatState, action: ChatErrorAction, now_ms: int) -> ChatState:
    """The agent could not go on."""
    return _ended(state, action, "error", now_ms, action["error"])


def _ended(
    state: ChatState,
    action: ChatTurnCompleteAction | ChatTurnCancelledAction | ChatErrorAction,
    how: TurnState,
    now_ms: int,
    error: ErrorInfo | None = None,
) -> ChatState:
    active = active_turn(state, action["turnId"])
    if active is None:
        return state
    turn = cast(
        Turn,
        {
            **active,
            "duration": max(0, action["duration"]),
            "responseParts": [_closed(part) for part in active["responseParts"]],
            "state": how,
        },
    )
    activity = status.ERROR if how == "error" else status.IDLE
    return {
        **without(state, "activeTurn"),
        "turns": [*state["turns"], with_field(turn, "error", error)],
        "status": status.with_activity(state["status"], activity),
        "modifiedAt": timestamp(now_ms),
    }


def _closed(part: ResponsePart) -> ResponsePart:
    """An open tool call is cancelled; an unanswered question stays in the transcript as it is."""
    if part["kind"] != "toolCall" or part["toolCall"]["status"] in ("completed", "cancelled"):
        return part
    return {**part, "toolCall": cancelled(part["toolCall"], "skipped")}
