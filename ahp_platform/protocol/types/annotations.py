"""What does an annotations channel hold?"""

from __future__ import annotations

from typing import NotRequired, TypedDict

from ahp_platform.protocol.types.values import URI, StringOrMarkdown, TextRange


class AnnotationsSummary(TypedDict):
    resource: URI
    annotationCount: int
    entryCount: int


class AnnotationsState(TypedDict):
    annotations: list[Annotation]


class Annotation(TypedDict):
    id: str
    turnId: str
    resource: URI
    range: NotRequired[TextRange]
    resolved: bool
    entries: list[AnnotationEntry]
    _meta: NotRequired[dict[str, object]]


class AnnotationEntry(TypedDict):
    id: str
    text: StringOrMarkdown
    _meta: NotRequired[dict[str, object]]
