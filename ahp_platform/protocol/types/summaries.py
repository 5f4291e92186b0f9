"""What is told of a session and a chat in lists?"""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from ahp_platform.protocol.shape import OPEN
from ahp_platform.protocol.types.annotations import AnnotationsSummary
from ahp_platform.protocol.types.values import URI, ProjectInfo, SessionStatus


class SessionMetadata(TypedDict):
    provider: str
    title: str
    status: SessionStatus
    activity: NotRequired[str]
    project: NotRequired[ProjectInfo]
    workingDirectories: NotRequired[list[URI]]
    annotations: NotRequired[AnnotationsSummary]


class SessionSummary(SessionMetadata):
    resource: URI
    createdAt: str
    modifiedAt: str
    changes: NotRequired[ChangesSummary]
    _meta: NotRequired[dict[str, object]]


class ChangesSummary(TypedDict):
    additions: NotRequired[int]
    deletions: NotRequired[int]
    files: NotRequired[int]


class ChatSummary(TypedDict):
    resource: URI
    title: str
    status: SessionStatus
    activity: NotRequired[str]
    modifiedAt: str
    origin: NotRequired[ChatOrigin]
    interactivity: NotRequired[ChatInteractivity]
    workingDirectories: NotRequired[list[URI]]
    primaryWorkingDirectory: NotRequired[URI]


class SideChatSelection(TypedDict):
    text: str
    responsePartId: NotRequired[str]


class UserChatOrigin(TypedDict):
    kind: Literal["user"]


class ForkChatOrigin(TypedDict):
    kind: Literal["fork"]
    chat: URI
    turnId: str


class SideChatOrigin(TypedDict):
    kind: Literal["sideChat"]
    chat: URI
    turnId: str
    selection: NotRequired[SideChatSelection]


class ToolChatOrigin(TypedDict):
    kind: Literal["tool"]
    chat: URI
    toolCallId: str


ChatOrigin = Annotated[UserChatOrigin | ForkChatOrigin | SideChatOrigin | ToolChatOrigin, OPEN]
ChatInteractivity = Literal["full", "read-only", "hidden"]


class ChatSummaryChanges(TypedDict):
    resource: NotRequired[URI]
    title: NotRequired[str]
    status: NotRequired[SessionStatus]
    activity: NotRequired[str]
    modifiedAt: NotRequired[str]
    origin: NotRequired[ChatOrigin]
    interactivity: NotRequired[ChatInteractivity]
    workingDirectories: NotRequired[list[URI]]
    primaryWorkingDirectory: NotRequired[URI]
