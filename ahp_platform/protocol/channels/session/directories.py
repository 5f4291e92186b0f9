"""Which directories may a session's agent work in?

A set, in the order in which they came. Whether the agent can work in several, and whether a directory may be used
at all, is judged where that is known.
"""

from __future__ import annotations

from typing import Literal, TypedDict

from ahp_platform.protocol.channels.session.table import SESSION
from ahp_platform.protocol.types.session import SessionState
from ahp_platform.protocol.types.values import URI


class SessionWorkingDirectorySetAction(TypedDict):
    type: Literal["session/workingDirectorySet"]
    directory: URI


class SessionWorkingDirectoryRemovedAction(TypedDict):
    type: Literal["session/workingDirectoryRemoved"]
    directory: URI


@SESSION.on("session/workingDirectorySet", SessionWorkingDirectorySetAction, client_dispatchable=True, since="0.7.0")
def working_directory_set(state: SessionState, action: SessionWorkingDirectorySetAction, now_ms: int) -> SessionState:
    """One directory more, unless it is there."""
    directories = state.get("workingDirectories", [])
    if action["directory"] in directories:
        return state
    return {**state, "workingDirectories": [*directories, action["directory"]]}


def refuse_removed(state: SessionState, action: SessionWorkingDirectoryRemovedAction, client_id: str) -> str | None:
    """The primary directory of a chat is fixed at its birth and must stay."""
    if any(chat.get("primaryWorkingDirectory") == action["directory"] for chat in state["chats"]):
        return "The directory is the primary one of a chat"
    return None


@SESSION.on(
    "session/workingDirectoryRemoved",
    SessionWorkingDirectoryRemovedAction,
    client_dispatchable=True,
    guard=refuse_removed,
    since="0.7.0",
)
def working_directory_removed(
    state: SessionState, action: SessionWorkingDirectoryRemovedAction, now_ms: int
) -> SessionState:
    """One directory less."""
    directories = state.get("workingDirectories", [])
    if action["directory"] not in directories:
        return state
    return {**state, "workingDirectories": [known for known in directories if known != action["directory"]]}
