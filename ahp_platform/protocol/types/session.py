"""What does a session channel hold?"""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from ahp_platform.protocol.shape import OPEN
from ahp_platform.protocol.types.changeset import Changeset
from ahp_platform.protocol.types.config import SessionConfigState
from ahp_platform.protocol.types.customizations import ClientPluginCustomization, Customization
from ahp_platform.protocol.types.questions import ChatInputRequest
from ahp_platform.protocol.types.summaries import ChatSummary, SessionMetadata
from ahp_platform.protocol.types.tool_calls import ToolCallAuthRequiredState, ToolCallConfirmationState, ToolCallState
from ahp_platform.protocol.types.values import URI, ErrorInfo


class SessionState(SessionMetadata):
    lifecycle: SessionLifecycle
    creationError: NotRequired[ErrorInfo]
    serverTools: NotRequired[list[ToolDefinition]]
    activeClients: list[SessionActiveClient]
    chats: list[ChatSummary]
    defaultChat: NotRequired[URI]
    config: NotRequired[SessionConfigState]
    customizations: NotRequired[list[Customization]]
    changesets: NotRequired[list[Changeset]]
    inputNeeded: NotRequired[list[SessionInputRequest]]
    _meta: NotRequired[dict[str, object]]


class SessionActiveClient(TypedDict):
    clientId: str
    displayName: NotRequired[str]
    tools: list[ToolDefinition]
    customizations: NotRequired[list[ClientPluginCustomization]]


class SessionInputRequestBase(TypedDict):
    id: str
    chat: URI


class SessionChatInputRequest(SessionInputRequestBase):
    kind: Literal["chatInput"]
    request: ChatInputRequest


class SessionToolConfirmationRequest(SessionInputRequestBase):
    kind: Literal["toolConfirmation"]
    turnId: str
    toolCall: ToolCallConfirmationState


class SessionToolClientExecutionRequest(SessionInputRequestBase):
    kind: Literal["toolClientExecution"]
    turnId: str
    clientId: str
    toolCall: ToolCallState


class SessionToolAuthenticationRequest(SessionInputRequestBase):
    kind: Literal["toolAuthentication"]
    turnId: str
    toolCall: ToolCallAuthRequiredState


class ToolDefinition(TypedDict):
    name: str
    title: NotRequired[str]
    description: NotRequired[str]
    inputSchema: NotRequired[ToolSchema]
    outputSchema: NotRequired[ToolSchema]
    annotations: NotRequired[ToolAnnotations]
    _meta: NotRequired[dict[str, object]]


class ToolAnnotations(TypedDict):
    title: NotRequired[str]
    readOnlyHint: NotRequired[bool]
    destructiveHint: NotRequired[bool]
    idempotentHint: NotRequired[bool]
    openWorldHint: NotRequired[bool]


SessionLifecycle = Literal["creating", "ready", "creationFailed"]
SessionInputRequest = Annotated[
    SessionChatInputRequest
    | SessionToolConfirmationRequest
    | SessionToolClientExecutionRequest
    | SessionToolAuthenticationRequest,
    OPEN,
]


class ToolSchema(TypedDict):
    type: Literal["object"]
    properties: NotRequired[dict[str, dict[str, object]]]
    required: NotRequired[list[str]]
