"""What does a session show of all its chats together?

Its status bits come from the default chat, else from the latest one, and rise to "input needed" or "error" when
any chat does; its flags stay its own. Source: PROTOCOL.md section 7.
"""

from __future__ import annotations

from typing import Any, cast

from ahp_platform.protocol import status, uris
from ahp_platform.protocol.persistent import with_field
from ahp_platform.protocol.types.annotations import AnnotationsState, AnnotationsSummary
from ahp_platform.protocol.types.session import SessionState
from ahp_platform.protocol.types.summaries import ChatSummary, SessionSummary

_SHARED = ("provider", "title", "project", "workingDirectories", "annotations", "_meta")


def _leading(state: SessionState) -> ChatSummary | None:
    """The chat that decides: one that waits, else one that failed, else the default one, else the latest."""
    chats = state["chats"]
    for wanted in (status.INPUT_NEEDED, status.ERROR):
        for chat in chats:
            if status.activity_of(chat["status"]) == wanted:
                return chat
    for chat in chats:
        if chat["resource"] == state.get("defaultChat"):
            return chat
    return max(chats, key=lambda chat: chat["modifiedAt"], default=None)


def aggregate_status(state: SessionState) -> int:
    """The status of the session with the activity of its chats."""
    if state.get("inputNeeded"):
        return status.with_activity(state["status"], status.INPUT_NEEDED)
    chat = _leading(state)
    if chat is None:
        return state["status"]
    return status.with_activity(state["status"], status.activity_of(chat["status"]))


def aggregate_activity(state: SessionState) -> str | None:
    """What the chat that decides is doing, else what is said of the session itself."""
    chat = _leading(state)
    return (chat.get("activity") if chat is not None else None) or state.get("activity")


def aggregate_modified_at(state: SessionState, fallback: str) -> str:
    """When the latest of the chats changed, but not before `fallback`."""
    return max([fallback, *(chat["modifiedAt"] for chat in state["chats"])])


def counted(state: SessionState, resource: str, notes: AnnotationsState | None) -> SessionState:
    """The state with how many annotations the session has. No action carries that: it is only ever shown."""
    if notes is None:
        return state
    counts: AnnotationsSummary = {
        "resource": uris.annotations_of(resource),
        "annotationCount": len(notes["annotations"]),
        "entryCount": sum(len(note["entries"]) for note in notes["annotations"]),
    }
    return {**state, "annotations": counts}


def presented(state: SessionState) -> SessionState:
    """The state as a snapshot shows it: the very same where there is nothing to add."""
    shown = aggregate_status(state)
    if shown != state["status"]:
        state = {**state, "status": shown}
    activity = aggregate_activity(state)
    return state if activity == state.get("activity") else with_field(state, "activity", activity)


def summary_of(state: SessionState, resource: str, created_at: str, modified_at: str | None = None) -> SessionSummary:
    """The session in a list. `modified_at` is the least that it may say, by default when the session was made."""
    summary: dict[str, Any] = {name: value for name, value in state.items() if name in _SHARED}
    summary["resource"] = resource
    summary["status"] = aggregate_status(state)
    summary["createdAt"] = created_at
    summary["modifiedAt"] = aggregate_modified_at(state, modified_at or created_at)
    return cast(SessionSummary, with_field(summary, "activity", aggregate_activity(state)))
