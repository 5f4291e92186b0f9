"""What does the host tell without being asked, outside of any state?"""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from ahp_platform.protocol.types.annotations import AnnotationsSummary
from ahp_platform.protocol.types.summaries import ChangesSummary, SessionSummary
from ahp_platform.protocol.types.values import URI, BaseParams, ProjectInfo, SessionStatus

AuthRequiredReason = Literal["required", "expired"]


class SessionAddedParams(BaseParams):
    summary: SessionSummary


class SessionRemovedParams(BaseParams):
    session: URI


class SessionSummaryChanges(TypedDict):
    """The changed fields of a summary. A field that lost its value is null: absent means unchanged here."""

    title: NotRequired[str]
    status: NotRequired[SessionStatus]
    activity: NotRequired[str | None]
    project: NotRequired[ProjectInfo | None]
    workingDirectories: NotRequired[list[URI] | None]
    annotations: NotRequired[AnnotationsSummary | None]
    modifiedAt: NotRequired[str]
    changes: NotRequired[ChangesSummary | None]
    _meta: NotRequired[dict[str, object] | None]


class SessionSummaryChangedParams(BaseParams):
    session: URI
    changes: SessionSummaryChanges


class ProgressParams(BaseParams):
    progressToken: str
    progress: float
    total: NotRequired[float]
    message: NotRequired[str]


class AuthRequiredParams(BaseParams):
    resource: str
    reason: NotRequired[AuthRequiredReason]


class OtlpExportParams(BaseParams):
    """An OTLP/JSON request, verbatim."""

    payload: dict[str, object]
