"""What does somebody say to an agent, and what is attached?"""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from ahp_platform.protocol.shape import OPEN
from ahp_platform.protocol.types.values import URI, ContentRef, JsonPrimitive, TextRange, TextSelection


class ModelSelection(TypedDict):
    id: str
    config: NotRequired[dict[str, JsonPrimitive]]


class AgentSelection(TypedDict):
    uri: URI


class PendingMessage(TypedDict):
    id: str
    message: Message


class MessageOrigin(TypedDict):
    kind: MessageKind


class Message(TypedDict):
    text: str
    origin: MessageOrigin
    attachments: NotRequired[list[MessageAttachment]]
    model: NotRequired[ModelSelection]
    agent: NotRequired[AgentSelection]
    _meta: NotRequired[dict[str, object]]


class MessageAttachmentBase(TypedDict):
    label: str
    range: NotRequired[TextRange]
    displayKind: NotRequired[str]
    _meta: NotRequired[dict[str, object]]


class SimpleMessageAttachment(MessageAttachmentBase):
    type: Literal["simple"]
    modelRepresentation: NotRequired[str]


class MessageEmbeddedResourceAttachment(MessageAttachmentBase):
    type: Literal["embeddedResource"]
    data: str
    contentType: str
    selection: NotRequired[TextSelection]


class MessageResourceAttachment(MessageAttachmentBase, ContentRef):
    type: Literal["resource"]
    selection: NotRequired[TextSelection]


class MessageAnnotationsAttachment(MessageAttachmentBase):
    type: Literal["annotations"]
    resource: URI
    annotationIds: NotRequired[list[str]]


class MessageChatAttachment(MessageAttachmentBase):
    type: Literal["chat"]
    resource: URI
    endTurn: str


MessageKind = Literal["user", "agent", "tool", "systemNotification"]
MessageAttachment = Annotated[
    SimpleMessageAttachment
    | MessageEmbeddedResourceAttachment
    | MessageResourceAttachment
    | MessageAnnotationsAttachment
    | MessageChatAttachment,
    OPEN,
]
PendingMessageKind = Literal["steering", "queued"]
