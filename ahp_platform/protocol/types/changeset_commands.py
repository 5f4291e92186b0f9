"""Which command runs an operation of a changeset?"""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from ahp_platform.protocol.types.values import URI, BaseParams, ContentRef, StringOrMarkdown, TextRange


class ChangesetOperationFollowUp(TypedDict):
    content: ContentRef
    external: NotRequired[bool]


class InvokeChangesetOperationParams(BaseParams):
    operationId: str
    target: NotRequired[ChangesetOperationTarget]


class InvokeChangesetOperationResult(TypedDict):
    message: NotRequired[StringOrMarkdown]
    followUp: NotRequired[ChangesetOperationFollowUp]


class ResourceTarget(TypedDict):
    kind: Literal["resource"]
    resource: URI
    side: NotRequired[Literal["before", "after"]]


class RangeTarget(TypedDict):
    kind: Literal["range"]
    resource: URI
    side: NotRequired[Literal["before", "after"]]
    range: TextRange


ChangesetOperationTarget = ResourceTarget | RangeTarget
