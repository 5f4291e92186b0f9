"""Which small values do all channels share?"""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

URI = str


class Icon(TypedDict):
    src: URI
    contentType: NotRequired[str]
    sizes: NotRequired[list[str]]
    theme: NotRequired[Literal["light", "dark"]]


class ProtectedResourceMetadata(TypedDict):
    resource: str
    resource_name: NotRequired[str]
    authorization_servers: NotRequired[list[str]]
    jwks_uri: NotRequired[str]
    scopes_supported: NotRequired[list[str]]
    bearer_methods_supported: NotRequired[list[str]]
    resource_signing_alg_values_supported: NotRequired[list[str]]
    resource_encryption_alg_values_supported: NotRequired[list[str]]
    resource_encryption_enc_values_supported: NotRequired[list[str]]
    resource_documentation: NotRequired[str]
    resource_policy_uri: NotRequired[str]
    resource_tos_uri: NotRequired[str]
    required: NotRequired[bool]


class TextPosition(TypedDict):
    line: int
    character: int


class TextRange(TypedDict):
    start: TextPosition
    end: TextPosition


class TextSelection(TypedDict):
    range: TextRange


class ContentRef(TypedDict):
    uri: URI
    sizeHint: NotRequired[float]
    contentType: NotRequired[str]
    nonce: NotRequired[str]


class FileEdit(TypedDict):
    before: NotRequired[FileVersion]
    after: NotRequired[FileVersion]
    diff: NotRequired[DiffCounts]


class UsageInfo(TypedDict):
    inputTokens: NotRequired[float]
    outputTokens: NotRequired[float]
    model: NotRequired[str]
    cacheReadTokens: NotRequired[float]
    _meta: NotRequired[dict[str, object]]


class ErrorInfo(TypedDict):
    errorType: str
    message: str
    stack: NotRequired[str]
    _meta: NotRequired[dict[str, object]]


class ProjectInfo(TypedDict):
    uri: URI
    displayName: str


class BaseParams(TypedDict):
    channel: URI


class PaginatedParams(TypedDict):
    limit: NotRequired[int]
    cursor: NotRequired[str]


class PaginatedResult(TypedDict):
    nextCursor: NotRequired[str]


class Implementation(TypedDict):
    name: str
    version: NotRequired[str]
    title: NotRequired[str]


JsonPrimitive = str | float | bool | None
SessionStatus = int


class Markdown(TypedDict):
    markdown: str


StringOrMarkdown = str | Markdown


class FileVersion(TypedDict):
    uri: URI
    content: ContentRef


class DiffCounts(TypedDict):
    added: NotRequired[int]
    removed: NotRequired[int]
