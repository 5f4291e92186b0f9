"""What goes with a chat besides its turns: what it does, what is being written, where it works?"""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from ahp_platform.protocol.channels.chat.pending_messages import NOT_A_USER
from ahp_platform.protocol.channels.chat.table import CHAT
from ahp_platform.protocol.persistent import with_field
from ahp_platform.protocol.types.chat import ChatState
from ahp_platform.protocol.types.messages import Message
from ahp_platform.protocol.types.values import URI


class ChatActivityChangedAction(TypedDict):
    type: Literal["chat/activityChanged"]
    activity: NotRequired[str]


class ChatDraftChangedAction(TypedDict):
    type: Literal["chat/draftChanged"]
    draft: NotRequired[Message]


class ChatWorkingDirectorySetAction(TypedDict):
    type: Literal["chat/workingDirectorySet"]
    directory: URI


class ChatWorkingDirectoryRemovedAction(TypedDict):
    type: Literal["chat/workingDirectoryRemoved"]
    directory: URI


@CHAT.on("chat/activityChanged", ChatActivityChangedAction)
def activity_changed(state: ChatState, action: ChatActivityChangedAction, now_ms: int) -> ChatState:
    """What the agent does right now, in words; absent for nothing."""
    return with_field(state, "activity", action.get("activity"))


def refuse_draft(state: ChatState, action: ChatDraftChangedAction, client_id: str) -> str | None:
    """A draft is what a user is about to say."""
    if "draft" in action and action["draft"]["origin"]["kind"] != "user":
        return NOT_A_USER
    return None


@CHAT.on("chat/draftChanged", ChatDraftChangedAction, client_dispatchable=True, guard=refuse_draft)
def draft_changed(state: ChatState, action: ChatDraftChangedAction, now_ms: int) -> ChatState:
    """What is being written; absent once it was sent."""
    return with_field(state, "draft", action.get("draft"))


@CHAT.on("chat/workingDirectorySet", ChatWorkingDirectorySetAction, client_dispatchable=True, since="0.7.0")
def working_directory_set(state: ChatState, action: ChatWorkingDirectorySetAction, now_ms: int) -> ChatState:
    """One directory more in the chat's own set. That it is one of the session's, the session's state tells."""
    directories = state.get("workingDirectories", [])
    if action["directory"] in directories:
        return state
    return {**state, "workingDirectories": [*directories, action["directory"]]}


def refuse_removed(state: ChatState, action: ChatWorkingDirectoryRemovedAction, client_id: str) -> str | None:
    """The primary directory is fixed at the chat's birth and must stay."""
    if state.get("primaryWorkingDirectory") == action["directory"]:
        return "The directory is the primary one of this chat"
    return None


@CHAT.on(
    "chat/workingDirectoryRemoved",
    ChatWorkingDirectoryRemovedAction,
    client_dispatchable=True,
    guard=refuse_removed,
    since="0.7.0",
)
def working_directory_removed(state: ChatState, action: ChatWorkingDirectoryRemovedAction, now_ms: int) -> ChatState:
    """One directory less in the chat's own set; the last one leaves it empty, which is not the session's set again."""
    directories = state.get("workingDirectories", [])
    if action["directory"] not in directories:
        return state
    return {**state, "workingDirectories": [known for known in directories if known != action["directory"]]}
