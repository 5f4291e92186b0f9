"""Which commands list, configure, create and end sessions?"""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from ahp_platform.protocol.types.config import SessionConfigSchema
from ahp_platform.protocol.types.session import SessionActiveClient
from ahp_platform.protocol.types.summaries import SessionSummary
from ahp_platform.protocol.types.values import URI, BaseParams, PaginatedResult


class ListSessionsParams(TypedDict):
    channel: Literal["ahp-root://"]
    limit: NotRequired[int]
    cursor: NotRequired[str]


class ListSessionsResult(PaginatedResult):
    items: list[SessionSummary]


class ResolveSessionConfigParams(TypedDict):
    channel: Literal["ahp-root://"]
    provider: NotRequired[str]
    workingDirectory: NotRequired[URI]
    config: NotRequired[dict[str, object]]


class ResolveSessionConfigResult(TypedDict):
    schema: SessionConfigSchema
    values: dict[str, object]


class SessionConfigValueItem(TypedDict):
    value: str
    label: str
    description: NotRequired[str]


class SessionConfigCompletionsParams(TypedDict):
    channel: Literal["ahp-root://"]
    provider: NotRequired[str]
    workingDirectory: NotRequired[URI]
    config: NotRequired[dict[str, object]]
    property: str
    query: NotRequired[str]


class SessionConfigCompletionsResult(TypedDict):
    items: list[SessionConfigValueItem]


class SessionForkSource(TypedDict):
    session: URI
    turnId: str


class CreateSessionParams(BaseParams):
    provider: NotRequired[str]
    workingDirectories: NotRequired[list[URI]]
    primaryWorkingDirectory: NotRequired[URI]
    fork: NotRequired[SessionForkSource]
    config: NotRequired[dict[str, object]]
    activeClient: NotRequired[SessionActiveClient]
    progressToken: NotRequired[str]


class DisposeSessionParams(BaseParams):
    pass
