"""Which messages wait: one to steer the running turn, others to become turns of their own?"""

from __future__ import annotations

from typing import Final, Literal, TypedDict

from ahp_platform.protocol.channels.chat.table import CHAT
from ahp_platform.protocol.persistent import find, removed, upserted, with_field, without
from ahp_platform.protocol.types.chat import ChatState
from ahp_platform.protocol.types.messages import Message, PendingMessage, PendingMessageKind

NOT_A_USER: Final = "A client may send only messages of the kind user"


class ChatPendingMessageSetAction(TypedDict):
    type: Literal["chat/pendingMessageSet"]
    kind: PendingMessageKind
    id: str
    message: Message


class ChatPendingMessageRemovedAction(TypedDict):
    type: Literal["chat/pendingMessageRemoved"]
    kind: PendingMessageKind
    id: str


class ChatQueuedMessagesReorderedAction(TypedDict):
    type: Literal["chat/queuedMessagesReordered"]
    order: list[str]


def refuse_author(state: ChatState, message: Message) -> str | None:
    """A client speaks as its user, in a chat that listens."""
    if message["origin"]["kind"] != "user":
        return NOT_A_USER
    return None if state.get("interactivity", "full") == "full" else "This chat takes no messages"


def refuse_set(state: ChatState, action: ChatPendingMessageSetAction, client_id: str) -> str | None:
    """It needs an id and a user's words."""
    return refuse_author(state, action["message"]) if action["id"] else "id must not be empty"


@CHAT.on("chat/pendingMessageSet", ChatPendingMessageSetAction, client_dispatchable=True, guard=refuse_set)
def pending_message_set(state: ChatState, action: ChatPendingMessageSetAction, now_ms: int) -> ChatState:
    """The one steering message, or one of the queue: new, or written anew."""
    pending: PendingMessage = {"id": action["id"], "message": action["message"]}
    if action["kind"] == "steering":
        return {**state, "steeringMessage": pending}
    return {**state, "queuedMessages": upserted(state.get("queuedMessages"), pending)}


def refuse_removed(state: ChatState, action: ChatPendingMessageRemovedAction, client_id: str) -> str | None:
    """It must still wait."""
    if action["kind"] == "steering":
        waits = "steeringMessage" in state and state["steeringMessage"]["id"] == action["id"]
    else:
        waits = find(state.get("queuedMessages"), "id", action["id"]) is not None
    return None if waits else "There is no such pending message"


@CHAT.on("chat/pendingMessageRemoved", ChatPendingMessageRemovedAction, client_dispatchable=True, guard=refuse_removed)
def pending_message_removed(state: ChatState, action: ChatPendingMessageRemovedAction, now_ms: int) -> ChatState:
    """Withdrawn, or taken by the host."""
    if action["kind"] == "queued":
        return _without_queued(state, action["id"])
    return _without_steering(state, action["id"])


def without_pending(state: ChatState, message_id: str) -> ChatState:
    """The chat without that message, whichever kind it is of."""
    return _without_queued(_without_steering(state, message_id), message_id)


def _without_steering(state: ChatState, message_id: str) -> ChatState:
    if "steeringMessage" in state and state["steeringMessage"]["id"] == message_id:
        return without(state, "steeringMessage")
    return state


def _without_queued(state: ChatState, message_id: str) -> ChatState:
    queue = state.get("queuedMessages")
    index = find(queue, "id", message_id)
    if queue is None or index is None:
        return state
    return with_field(state, "queuedMessages", removed(queue, index) or None)


def refuse_reordered(state: ChatState, action: ChatQueuedMessagesReorderedAction, client_id: str) -> str | None:
    """A message has one place. Ids that are no longer queued are passed over."""
    return "An id is named twice" if len(set(action["order"])) != len(action["order"]) else None


@CHAT.on(
    "chat/queuedMessagesReordered", ChatQueuedMessagesReorderedAction, client_dispatchable=True, guard=refuse_reordered
)
def queued_messages_reordered(state: ChatState, action: ChatQueuedMessagesReorderedAction, now_ms: int) -> ChatState:
    """The named ones first, in that order; the others after them as they stood, so that a stale view loses nothing."""
    if "queuedMessages" not in state:
        return state
    place = {message_id: index for index, message_id in enumerate(dict.fromkeys(action["order"]))}
    queue = sorted(state["queuedMessages"], key=lambda pending: place.get(pending["id"], len(place)))
    return {**state, "queuedMessages": queue}
