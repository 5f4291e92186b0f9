"""What of a session waits for somebody?

The host mirrors every open block of every chat here, so that a client sees it without subscribing to the chats.
"""

from __future__ import annotations

from typing import Literal, TypedDict

from ahp_platform.protocol import status
from ahp_platform.protocol.channels.session.table import SESSION
from ahp_platform.protocol.persistent import find, removed, upserted, without
from ahp_platform.protocol.types.session import SessionInputRequest, SessionState


class SessionInputNeededSetAction(TypedDict):
    type: Literal["session/inputNeededSet"]
    request: SessionInputRequest


class SessionInputNeededRemovedAction(TypedDict):
    type: Literal["session/inputNeededRemoved"]
    id: str


@SESSION.on("session/inputNeededSet", SessionInputNeededSetAction)
def input_needed_set(state: SessionState, action: SessionInputNeededSetAction, now_ms: int) -> SessionState:
    """Something waits, or waits for something else now."""
    return {
        **state,
        "inputNeeded": upserted(state.get("inputNeeded"), action["request"]),
        "status": status.with_activity(state["status"], status.INPUT_NEEDED),
    }


@SESSION.on("session/inputNeededRemoved", SessionInputNeededRemovedAction)
def input_needed_removed(state: SessionState, action: SessionInputNeededRemovedAction, now_ms: int) -> SessionState:
    """It waits no more. When nothing else does, the turn that asked goes on."""
    requests = state.get("inputNeeded", [])
    index = find(requests, "id", action["id"])
    if index is None:
        return state
    if len(requests) > 1:
        return {**state, "inputNeeded": removed(requests, index)}
    changed = without(state, "inputNeeded")
    if status.activity_of(state["status"]) != status.INPUT_NEEDED:
        return changed
    return {**changed, "status": status.with_activity(state["status"], status.IN_PROGRESS)}
