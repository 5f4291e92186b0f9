"""What does the root channel hold?"""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from ahp_platform.protocol.types.config import ConfigSchema, RootConfigState
from ahp_platform.protocol.types.customizations import Customization
from ahp_platform.protocol.types.terminal import TerminalInfo
from ahp_platform.protocol.types.values import ProtectedResourceMetadata


class RootState(TypedDict):
    agents: list[AgentInfo]
    activeSessions: NotRequired[int]
    terminals: NotRequired[list[TerminalInfo]]
    config: NotRequired[RootConfigState]
    _meta: NotRequired[dict[str, object]]


class AgentInfo(TypedDict):
    provider: str
    displayName: str
    description: str
    models: list[SessionModelInfo]
    protectedResources: NotRequired[list[ProtectedResourceMetadata]]
    customizations: NotRequired[list[Customization]]
    capabilities: NotRequired[AgentCapabilities]


class AgentCapabilities(TypedDict):
    multipleChats: NotRequired[MultipleChatsCapability]
    multipleWorkingDirectories: NotRequired[MultipleWorkingDirectoriesCapability]


class MultipleChatsCapability(TypedDict):
    fork: NotRequired[bool]
    sideChat: NotRequired[bool]


class MultipleWorkingDirectoriesCapability(TypedDict):
    requiresPrimary: NotRequired[bool]


class SessionModelInfo(TypedDict):
    id: str
    provider: str
    name: str
    maxContextWindow: NotRequired[float]
    maxOutputTokens: NotRequired[float]
    maxPromptTokens: NotRequired[float]
    supportsVision: NotRequired[bool]
    policyState: NotRequired[PolicyState]
    configSchema: NotRequired[ConfigSchema]
    _meta: NotRequired[dict[str, object]]


PolicyState = Literal["enabled", "disabled", "unconfigured"]
