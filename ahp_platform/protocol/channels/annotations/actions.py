"""How do clients write, move, settle and answer annotations?

An annotation always has an entry. Whether its turn and resource exist, and who wrote it, is judged where those
are known.
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict, cast

from ahp_platform.protocol.channels.annotations.table import ANNOTATIONS
from ahp_platform.protocol.persistent import find, removed, replaced, upserted
from ahp_platform.protocol.types.annotations import Annotation, AnnotationEntry, AnnotationsState
from ahp_platform.protocol.types.values import URI, TextRange

UNKNOWN = "There is no such annotation"


class AnnotationsSetAction(TypedDict):
    type: Literal["annotations/set"]
    annotation: Annotation


class AnnotationsUpdatedAction(TypedDict):
    type: Literal["annotations/updated"]
    annotationId: str
    turnId: NotRequired[str]
    resource: NotRequired[URI]
    range: NotRequired[TextRange]
    resolved: NotRequired[bool]


class AnnotationsRemovedAction(TypedDict):
    type: Literal["annotations/removed"]
    annotationId: str


class AnnotationsEntrySetAction(TypedDict):
    type: Literal["annotations/entrySet"]
    annotationId: str
    entry: AnnotationEntry


class AnnotationsEntryRemovedAction(TypedDict):
    type: Literal["annotations/entryRemoved"]
    annotationId: str
    entryId: str


def refuse_set(state: AnnotationsState, action: AnnotationsSetAction, client_id: str) -> str | None:
    """It needs an id, and at least one entry; ids of entries are unique within it."""
    entries = [entry["id"] for entry in action["annotation"]["entries"]]
    if not action["annotation"]["id"] or not all(entries):
        return "An id must not be empty"
    if not entries:
        return "An annotation must have an entry"
    if len(set(entries)) != len(entries):
        return "Two entries have the same id"
    return None


@ANNOTATIONS.on("annotations/set", AnnotationsSetAction, client_dispatchable=True, guard=refuse_set)
def set_annotation(state: AnnotationsState, action: AnnotationsSetAction, now_ms: int) -> AnnotationsState:
    """A new annotation, or an old one written anew with all its entries."""
    return {**state, "annotations": upserted(state["annotations"], action["annotation"])}


def refuse_unknown(
    state: AnnotationsState, action: AnnotationsUpdatedAction | AnnotationsRemovedAction, client_id: str
) -> str | None:
    """The annotation must exist."""
    return UNKNOWN if find(state["annotations"], "id", action["annotationId"]) is None else None


@ANNOTATIONS.on("annotations/updated", AnnotationsUpdatedAction, client_dispatchable=True, guard=refuse_unknown)
def updated(state: AnnotationsState, action: AnnotationsUpdatedAction, now_ms: int) -> AnnotationsState:
    """Settled, reopened or moved: the fields that are given, without touching the entries."""
    index = find(state["annotations"], "id", action["annotationId"])
    if index is None:
        return state
    changes = {name: value for name, value in action.items() if name in ("turnId", "resource", "range", "resolved")}
    annotation = cast(Annotation, {**state["annotations"][index], **changes})
    return {**state, "annotations": replaced(state["annotations"], index, annotation)}


@ANNOTATIONS.on("annotations/removed", AnnotationsRemovedAction, client_dispatchable=True, guard=refuse_unknown)
def remove_annotation(state: AnnotationsState, action: AnnotationsRemovedAction, now_ms: int) -> AnnotationsState:
    """The annotation goes with all its entries."""
    index = find(state["annotations"], "id", action["annotationId"])
    return state if index is None else {**state, "annotations": removed(state["annotations"], index)}


def refuse_entry(state: AnnotationsState, action: AnnotationsEntrySetAction, client_id: str) -> str | None:
    """An entry has an id and joins an annotation that exists."""
    if find(state["annotations"], "id", action["annotationId"]) is None:
        return UNKNOWN
    return None if action["entry"]["id"] else "An id must not be empty"


@ANNOTATIONS.on("annotations/entrySet", AnnotationsEntrySetAction, client_dispatchable=True, guard=refuse_entry)
def set_entry(state: AnnotationsState, action: AnnotationsEntrySetAction, now_ms: int) -> AnnotationsState:
    """A new entry of an annotation, or an old one written anew."""
    index = find(state["annotations"], "id", action["annotationId"])
    if index is None:
        return state
    annotation = state["annotations"][index]
    changed: Annotation = {**annotation, "entries": upserted(annotation["entries"], action["entry"])}
    return {**state, "annotations": replaced(state["annotations"], index, changed)}


def refuse_entry_removal(state: AnnotationsState, action: AnnotationsEntryRemovedAction, client_id: str) -> str | None:
    """The entry must exist and must not be the last one."""
    index = find(state["annotations"], "id", action["annotationId"])
    if index is None:
        return UNKNOWN
    entries = state["annotations"][index]["entries"]
    if find(entries, "id", action["entryId"]) is None:
        return "There is no such entry"
    return "The last entry cannot be removed; remove the annotation" if len(entries) == 1 else None


@ANNOTATIONS.on(
    "annotations/entryRemoved", AnnotationsEntryRemovedAction, client_dispatchable=True, guard=refuse_entry_removal
)
def remove_entry(state: AnnotationsState, action: AnnotationsEntryRemovedAction, now_ms: int) -> AnnotationsState:
    """One entry less. The last one stays, since an annotation has an entry."""
    index = find(state["annotations"], "id", action["annotationId"])
    if index is None:
        return state
    annotation = state["annotations"][index]
    at = find(annotation["entries"], "id", action["entryId"])
    if at is None or len(annotation["entries"]) == 1:
        return state
    changed: Annotation = {**annotation, "entries": removed(annotation["entries"], at)}
    return {**state, "annotations": replaced(state["annotations"], index, changed)}
