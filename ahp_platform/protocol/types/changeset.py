"""What does a changeset channel hold?"""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from ahp_platform.protocol.types.values import ErrorInfo, FileEdit, StringOrMarkdown


class Changeset(TypedDict):
    label: str
    uriTemplate: str
    description: NotRequired[str]
    changeKind: str
    capabilities: NotRequired[ChangesetCapabilities]


class ChangesetCapabilities(TypedDict):
    review: NotRequired[dict[str, object]]


class ChangesetState(TypedDict):
    status: ChangesetStatus
    error: NotRequired[ErrorInfo]
    files: list[ChangesetFile]
    operations: NotRequired[list[ChangesetOperation]]


class ChangesetFile(TypedDict):
    id: str
    edit: FileEdit
    reviewed: NotRequired[bool]
    _meta: NotRequired[dict[str, object]]


class ChangesetOperation(TypedDict):
    id: str
    label: str
    description: NotRequired[str]
    scopes: list[ChangesetOperationScope]
    confirmation: NotRequired[StringOrMarkdown]
    icon: NotRequired[str]
    group: NotRequired[str]
    status: ChangesetOperationStatus
    error: NotRequired[ErrorInfo]


ChangesetStatus = Literal["computing", "ready", "error"]
ChangesetOperationScope = Literal["changeset", "resource", "range"]
ChangesetOperationStatus = Literal["idle", "running", "error", "disabled"]
