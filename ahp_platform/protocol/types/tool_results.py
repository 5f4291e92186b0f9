"""What does a tool bring back?"""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from ahp_platform.protocol.shape import OPEN
from ahp_platform.protocol.types.values import URI, ContentRef, FileEdit, StringOrMarkdown


class ToolCallResult(TypedDict):
    success: bool
    pastTenseMessage: StringOrMarkdown
    content: NotRequired[list[ToolResultContent]]
    structuredContent: NotRequired[dict[str, object]]
    error: NotRequired[ToolCallError]


class ToolResultTextContent(TypedDict):
    type: Literal["text"]
    text: str


class ToolResultEmbeddedResourceContent(TypedDict):
    type: Literal["embeddedResource"]
    data: str
    contentType: str


class ToolResultResourceContent(ContentRef):
    type: Literal["resource"]


class ToolResultFileEditContent(FileEdit):
    type: Literal["fileEdit"]


class ToolResultTerminalContent(TypedDict):
    type: Literal["terminal"]
    resource: URI
    title: str
    isPty: NotRequired[bool]
    result: NotRequired[TerminalCommandResult]


class TerminalCommandResult(TypedDict):
    exitCode: NotRequired[int]
    preview: NotRequired[str]
    truncated: NotRequired[bool]


class ToolResultSubagentContent(TypedDict):
    type: Literal["subagent"]
    resource: URI
    title: str
    agentName: NotRequired[str]
    description: NotRequired[str]


ToolResultContent = Annotated[
    ToolResultTextContent
    | ToolResultEmbeddedResourceContent
    | ToolResultResourceContent
    | ToolResultFileEditContent
    | ToolResultTerminalContent
    | ToolResultSubagentContent,
    OPEN,
]


class ToolCallError(TypedDict):
    message: str
    code: NotRequired[str]


class FileEdits(TypedDict):
    items: list[FileEdit]
