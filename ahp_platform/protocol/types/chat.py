"""What does a chat channel hold?"""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from ahp_platform.protocol.shape import OPEN
from ahp_platform.protocol.types.messages import Message, PendingMessage
from ahp_platform.protocol.types.questions import ChatInputRequest, ChatInputResponseKind
from ahp_platform.protocol.types.summaries import ChatInteractivity, ChatOrigin
from ahp_platform.protocol.types.tool_calls import ToolCallState
from ahp_platform.protocol.types.values import URI, ContentRef, ErrorInfo, SessionStatus, StringOrMarkdown, UsageInfo


class ChatState(TypedDict):
    resource: URI
    title: str
    status: SessionStatus
    activity: NotRequired[str]
    modifiedAt: str
    origin: NotRequired[ChatOrigin]
    interactivity: NotRequired[ChatInteractivity]
    workingDirectories: NotRequired[list[URI]]
    primaryWorkingDirectory: NotRequired[URI]
    turns: list[Turn]
    turnsNextCursor: NotRequired[str]
    activeTurn: NotRequired[ActiveTurn]
    steeringMessage: NotRequired[PendingMessage]
    queuedMessages: NotRequired[list[PendingMessage]]
    draft: NotRequired[Message]
    _meta: NotRequired[dict[str, object]]


class Turn(TypedDict):
    id: str
    startedAt: NotRequired[str]
    duration: NotRequired[float]
    message: Message
    responseParts: list[ResponsePart]
    usage: NotRequired[UsageInfo]
    state: TurnState
    error: NotRequired[ErrorInfo]


class ActiveTurn(TypedDict):
    id: str
    startedAt: str
    message: Message
    responseParts: list[ResponsePart]
    usage: NotRequired[UsageInfo]


class MarkdownResponsePart(TypedDict):
    kind: Literal["markdown"]
    id: str
    content: str


class ResourceReponsePart(ContentRef):
    kind: Literal["contentRef"]


class ToolCallResponsePart(TypedDict):
    kind: Literal["toolCall"]
    toolCall: ToolCallState


class ReasoningResponsePart(TypedDict):
    kind: Literal["reasoning"]
    id: str
    content: str


class InputRequestResponsePart(TypedDict):
    kind: Literal["inputRequest"]
    request: ChatInputRequest
    response: NotRequired[ChatInputResponseKind]


class SystemNotificationResponsePart(TypedDict):
    kind: Literal["systemNotification"]
    content: StringOrMarkdown
    _meta: NotRequired[dict[str, object]]


ResponsePart = Annotated[
    MarkdownResponsePart
    | ResourceReponsePart
    | ToolCallResponsePart
    | ReasoningResponsePart
    | SystemNotificationResponsePart
    | InputRequestResponsePart,
    OPEN,
]
TurnState = Literal["complete", "cancelled", "error"]
