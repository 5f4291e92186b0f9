"""Which chats does a session have, and which one takes new input?"""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict, cast

from ahp_platform.protocol.channels.session.table import SESSION
from ahp_platform.protocol.persistent import find, removed, replaced, upserted, with_field, without
from ahp_platform.protocol.types.session import SessionState
from ahp_platform.protocol.types.summaries import ChatSummary, ChatSummaryChanges
from ahp_platform.protocol.types.values import URI


class SessionChatAddedAction(TypedDict):
    type: Literal["session/chatAdded"]
    summary: ChatSummary


class SessionChatRemovedAction(TypedDict):
    type: Literal["session/chatRemoved"]
    chat: URI


class SessionChatUpdatedAction(TypedDict):
    type: Literal["session/chatUpdated"]
    chat: URI
    changes: ChatSummaryChanges


class SessionDefaultChatChangedAction(TypedDict):
    type: Literal["session/defaultChatChanged"]
    defaultChat: NotRequired[URI]


@SESSION.on("session/chatAdded", SessionChatAddedAction)
def chat_added(state: SessionState, action: SessionChatAddedAction, now_ms: int) -> SessionState:
    """A chat, new or with its summary written anew."""
    return {**state, "chats": upserted(state["chats"], action["summary"], "resource")}


@SESSION.on("session/chatRemoved", SessionChatRemovedAction)
def chat_removed(state: SessionState, action: SessionChatRemovedAction, now_ms: int) -> SessionState:
    """A chat is gone; it can no longer be the default one."""
    index = find(state["chats"], "resource", action["chat"])
    if index is None:
        return state
    changed: SessionState = {**state, "chats": removed(state["chats"], index)}
    return without(changed, "defaultChat") if state.get("defaultChat") == action["chat"] else changed


@SESSION.on("session/chatUpdated", SessionChatUpdatedAction)
def chat_updated(state: SessionState, action: SessionChatUpdatedAction, now_ms: int) -> SessionState:
    """The given fields of a summary; its URI never changes."""
    index = find(state["chats"], "resource", action["chat"])
    if index is None:
        return state
    changes = {name: value for name, value in action["changes"].items() if name != "resource"}
    summary = cast(ChatSummary, {**state["chats"][index], **changes})
    return {**state, "chats": replaced(state["chats"], index, summary)}


def refuse_default_chat(state: SessionState, action: SessionDefaultChatChangedAction, client_id: str) -> str | None:
    """The default chat is one of the catalogue."""
    if "defaultChat" in action and find(state["chats"], "resource", action["defaultChat"]) is None:
        return "The session has no such chat"
    return None


@SESSION.on(
    "session/defaultChatChanged", SessionDefaultChatChangedAction, client_dispatchable=True, guard=refuse_default_chat
)
def default_chat_changed(state: SessionState, action: SessionDefaultChatChangedAction, now_ms: int) -> SessionState:
    """Where input goes that names no chat; absent to leave it open."""
    return with_field(state, "defaultChat", action.get("defaultChat"))
