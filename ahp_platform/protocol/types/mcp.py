"""What is known of an MCP server, and what does it ask for?"""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from ahp_platform.protocol.shape import OPEN
from ahp_platform.protocol.types.values import ErrorInfo, ProtectedResourceMetadata


class AhpMcpUiHostCapabilities(TypedDict):
    serverTools: NotRequired[ListChanged]
    serverResources: NotRequired[ListChanged]
    logging: NotRequired[dict[str, object]]
    sampling: NotRequired[Sampling]


class McpServerStartingState(TypedDict):
    kind: Literal["starting"]


class McpServerReadyState(TypedDict):
    kind: Literal["ready"]


class McpOAuthClient(TypedDict):
    clientId: str
    clientSecret: NotRequired[str]


class McpAuthRequirement(TypedDict):
    reason: McpAuthRequiredReason
    oauthClient: NotRequired[McpOAuthClient]
    resource: ProtectedResourceMetadata
    requiredScopes: NotRequired[list[str]]
    description: NotRequired[str]


class McpServerAuthRequiredState(McpAuthRequirement):
    kind: Literal["authRequired"]


class McpServerErrorState(TypedDict):
    kind: Literal["error"]
    error: ErrorInfo


class McpServerStoppedState(TypedDict):
    kind: Literal["stopped"]


McpServerState = Annotated[
    McpServerStartingState
    | McpServerReadyState
    | McpServerAuthRequiredState
    | McpServerErrorState
    | McpServerStoppedState,
    OPEN,
]
McpAuthRequiredReason = Literal["required", "expired", "insufficientScope"]


class ListChanged(TypedDict):
    listChanged: NotRequired[bool]


class Sampling(TypedDict):
    tools: NotRequired[dict[str, object]]
