"""Which commands create, page and complete chats?"""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from ahp_platform.protocol.types.messages import Message, MessageAttachment
from ahp_platform.protocol.types.summaries import SideChatSelection
from ahp_platform.protocol.types.values import URI, BaseParams


class FetchTurnsParams(BaseParams):
    cursor: NotRequired[str]


class FetchTurnsResult(TypedDict):
    pass


class CompletionsParams(BaseParams):
    kind: CompletionItemKind
    text: str
    offset: int


class CompletionItem(TypedDict):
    insertText: str
    rangeStart: NotRequired[int]
    rangeEnd: NotRequired[int]
    attachment: MessageAttachment


class CompletionsResult(TypedDict):
    items: list[CompletionItem]


class ForkChatSource(TypedDict):
    kind: Literal["fork"]
    chat: URI
    turnId: str


class SideChatSource(TypedDict):
    kind: Literal["sideChat"]
    chat: URI
    turnId: str
    selection: NotRequired[SideChatSelection]


class CreateChatParams(BaseParams):
    chat: URI
    initialMessage: NotRequired[Message]
    source: NotRequired[ChatSource]
    workingDirectories: NotRequired[list[URI]]
    primaryWorkingDirectory: NotRequired[URI]


class DisposeChatParams(BaseParams):
    pass


CompletionItemKind = Literal["userMessage"]
ChatSource = ForkChatSource | SideChatSource
