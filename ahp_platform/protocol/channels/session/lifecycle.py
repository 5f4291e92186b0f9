"""What becomes of a session as a whole: is it ready, what is it called, was it read, what does it do?"""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from ahp_platform.protocol import status
from ahp_platform.protocol.channels.session.table import SESSION
from ahp_platform.protocol.persistent import with_field, without
from ahp_platform.protocol.types.changeset import Changeset
from ahp_platform.protocol.types.session import SessionState, ToolDefinition
from ahp_platform.protocol.types.values import ErrorInfo


class SessionReadyAction(TypedDict):
    type: Literal["session/ready"]


class SessionCreationFailedAction(TypedDict):
    type: Literal["session/creationFailed"]
    error: ErrorInfo


class SessionTitleChangedAction(TypedDict):
    type: Literal["session/titleChanged"]
    title: str


class SessionServerToolsChangedAction(TypedDict):
    type: Literal["session/serverToolsChanged"]
    tools: list[ToolDefinition]


class SessionIsReadChangedAction(TypedDict):
    type: Literal["session/isReadChanged"]
    isRead: bool


class SessionIsArchivedChangedAction(TypedDict):
    type: Literal["session/isArchivedChanged"]
    isArchived: bool


class SessionActivityChangedAction(TypedDict):
    type: Literal["session/activityChanged"]
    activity: NotRequired[str]


class SessionChangesetsChangedAction(TypedDict):
    type: Literal["session/changesetsChanged"]
    changesets: NotRequired[list[Changeset]]


class SessionMetaChangedAction(TypedDict):
    type: Literal["session/metaChanged"]
    _meta: NotRequired[dict[str, object]]


@SESSION.on("session/ready", SessionReadyAction)
def ready(state: SessionState, action: SessionReadyAction, now_ms: int) -> SessionState:
    """The agent answers; a turn may be running already."""
    changed: SessionState = {**state, "lifecycle": "ready"}
    return without(changed, "creationError")


@SESSION.on("session/creationFailed", SessionCreationFailedAction)
def creation_failed(state: SessionState, action: SessionCreationFailedAction, now_ms: int) -> SessionState:
    """The agent could not be brought up."""
    return {**state, "lifecycle": "creationFailed", "creationError": action["error"]}


@SESSION.on("session/titleChanged", SessionTitleChangedAction, client_dispatchable=True)
def title_changed(state: SessionState, action: SessionTitleChangedAction, now_ms: int) -> SessionState:
    """Named by a client, or after its first message."""
    return {**state, "title": action["title"]}


@SESSION.on("session/serverToolsChanged", SessionServerToolsChangedAction)
def server_tools_changed(state: SessionState, action: SessionServerToolsChangedAction, now_ms: int) -> SessionState:
    """The whole list of the host's tools anew."""
    return {**state, "serverTools": action["tools"]}


@SESSION.on("session/isReadChanged", SessionIsReadChangedAction, client_dispatchable=True)
def is_read_changed(state: SessionState, action: SessionIsReadChangedAction, now_ms: int) -> SessionState:
    """Somebody looked, or wants to look again."""
    return {**state, "status": status.with_flag(state["status"], status.READ, action["isRead"])}


@SESSION.on("session/isArchivedChanged", SessionIsArchivedChangedAction, client_dispatchable=True)
def is_archived_changed(state: SessionState, action: SessionIsArchivedChangedAction, now_ms: int) -> SessionState:
    """Put away, or taken out again."""
    return {**state, "status": status.with_flag(state["status"], status.ARCHIVED, action["isArchived"])}


@SESSION.on("session/activityChanged", SessionActivityChangedAction)
def activity_changed(state: SessionState, action: SessionActivityChangedAction, now_ms: int) -> SessionState:
    """What it does right now, in words; absent for nothing."""
    return with_field(state, "activity", action.get("activity"))


@SESSION.on("session/changesetsChanged", SessionChangesetsChangedAction)
def changesets_changed(state: SessionState, action: SessionChangesetsChangedAction, now_ms: int) -> SessionState:
    """The whole catalogue of changesets anew, or none."""
    return with_field(state, "changesets", action.get("changesets"))


@SESSION.on("session/metaChanged", SessionMetaChangedAction)
def meta_changed(state: SessionState, action: SessionMetaChangedAction, now_ms: int) -> SessionState:
    """All extra data anew, or none."""
    return with_field(state, "_meta", action.get("_meta"))
