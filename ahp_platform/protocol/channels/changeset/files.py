"""Which files does a changeset hold, and were they reviewed?"""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from ahp_platform.protocol.channels.changeset.table import CHANGESET
from ahp_platform.protocol.persistent import find, removed, upserted, with_field
from ahp_platform.protocol.types.changeset import ChangesetFile, ChangesetOperation, ChangesetState, ChangesetStatus
from ahp_platform.protocol.types.values import ErrorInfo


class ChangesetStatusChangedAction(TypedDict):
    type: Literal["changeset/statusChanged"]
    status: ChangesetStatus
    error: NotRequired[ErrorInfo]


class ChangesetFileSetAction(TypedDict):
    type: Literal["changeset/fileSet"]
    file: ChangesetFile


class ChangesetFileRemovedAction(TypedDict):
    type: Literal["changeset/fileRemoved"]
    fileId: str


class ChangesetFilesReviewChangedAction(TypedDict):
    type: Literal["changeset/filesReviewChanged"]
    files: list[str]
    reviewed: bool


class ChangesetContentChangedAction(TypedDict):
    type: Literal["changeset/contentChanged"]
    files: list[ChangesetFile]
    operations: NotRequired[list[ChangesetOperation]]
    error: NotRequired[ErrorInfo]


class ChangesetClearedAction(TypedDict):
    type: Literal["changeset/cleared"]


@CHANGESET.on("changeset/statusChanged", ChangesetStatusChangedAction)
def status_changed(state: ChangesetState, action: ChangesetStatusChangedAction, now_ms: int) -> ChangesetState:
    """Computing, ready, or failed with an error."""
    changed: ChangesetState = {**state, "status": action["status"]}
    return with_field(changed, "error", action.get("error"))


@CHANGESET.on("changeset/fileSet", ChangesetFileSetAction)
def file_set(state: ChangesetState, action: ChangesetFileSetAction, now_ms: int) -> ChangesetState:
    """One file, new or anew."""
    return {**state, "files": upserted(state["files"], action["file"])}


@CHANGESET.on("changeset/fileRemoved", ChangesetFileRemovedAction)
def file_removed(state: ChangesetState, action: ChangesetFileRemovedAction, now_ms: int) -> ChangesetState:
    """One file less."""
    index = find(state["files"], "id", action["fileId"])
    return state if index is None else {**state, "files": removed(state["files"], index)}


def refuse_review(state: ChangesetState, action: ChangesetFilesReviewChangedAction, client_id: str) -> str | None:
    """Unknown files among known ones are passed over, but one must be known."""
    if any(file["id"] in action["files"] for file in state["files"]):
        return None
    return "None of these files is in the changeset"


@CHANGESET.on(
    "changeset/filesReviewChanged",
    ChangesetFilesReviewChangedAction,
    client_dispatchable=True,
    guard=refuse_review,
    since="0.6.0",
)
def files_review_changed(
    state: ChangesetState, action: ChangesetFilesReviewChangedAction, now_ms: int
) -> ChangesetState:
    """Mark files as reviewed or not, in one batch."""
    marked, reviewed = frozenset(action["files"]), action["reviewed"]
    files: list[ChangesetFile] = [
        {**file, "reviewed": reviewed} if file["id"] in marked else file for file in state["files"]
    ]
    return {**state, "files": files}


@CHANGESET.on("changeset/contentChanged", ChangesetContentChangedAction)
def content_changed(state: ChangesetState, action: ChangesetContentChangedAction, now_ms: int) -> ChangesetState:
    """All files anew, and the operations where they are given."""
    changed: ChangesetState = {**state, "files": action["files"]}
    if "operations" in action:
        changed["operations"] = action["operations"]
    return with_field(changed, "error", action.get("error"))


# A signal: it also says that the channel is about to go, which subscribers must hear even of an empty changeset.
@CHANGESET.on("changeset/cleared", ChangesetClearedAction, signal=True)
def cleared(state: ChangesetState, action: ChangesetClearedAction, now_ms: int) -> ChangesetState:
    """No files: the source moved, or the session is over."""
    return {**state, "files": []}
