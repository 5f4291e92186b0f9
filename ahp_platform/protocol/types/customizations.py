"""What customizes an agent: plugins, directories and their children?"""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from ahp_platform.protocol.shape import OPEN
from ahp_platform.protocol.types.mcp import AhpMcpUiHostCapabilities, McpServerState
from ahp_platform.protocol.types.values import URI, Icon, TextRange


class CustomizationBase(TypedDict):
    id: str
    uri: URI
    name: str
    icons: NotRequired[list[Icon]]
    range: NotRequired[TextRange]
    _meta: NotRequired[dict[str, object]]


class CustomizationLoadingState(TypedDict):
    kind: Literal["loading"]


class CustomizationLoadedState(TypedDict):
    kind: Literal["loaded"]


class CustomizationDegradedState(TypedDict):
    kind: Literal["degraded"]
    message: str


class CustomizationErrorState(TypedDict):
    kind: Literal["error"]
    message: str


class ContainerCustomizationBase(CustomizationBase):
    enabled: bool
    clientId: NotRequired[str]
    load: NotRequired[CustomizationLoadState]
    children: NotRequired[list[ChildCustomization]]


class PluginCustomization(ContainerCustomizationBase):
    type: Literal["plugin"]
    version: NotRequired[str]


class ClientPluginCustomization(PluginCustomization):
    nonce: NotRequired[str]


class DirectoryCustomization(ContainerCustomizationBase):
    type: Literal["directory"]
    contents: ChildCustomizationType
    writable: bool


class ChildCustomizationBase(CustomizationBase):
    enabled: NotRequired[bool]


class AgentCustomization(ChildCustomizationBase):
    type: Literal["agent"]
    description: NotRequired[str]
    model: NotRequired[str]
    tools: NotRequired[list[str]]
    disableModelInvocation: NotRequired[bool]
    disableUserInvocation: NotRequired[bool]


class SkillCustomization(ChildCustomizationBase):
    type: Literal["skill"]
    description: NotRequired[str]
    disableModelInvocation: NotRequired[bool]
    disableUserInvocation: NotRequired[bool]


class PromptCustomization(ChildCustomizationBase):
    type: Literal["prompt"]
    description: NotRequired[str]


class RuleCustomization(ChildCustomizationBase):
    type: Literal["rule"]
    description: NotRequired[str]
    alwaysApply: NotRequired[bool]
    globs: NotRequired[list[str]]


class HookCustomization(ChildCustomizationBase):
    type: Literal["hook"]


class McpServerCustomization(CustomizationBase):
    type: Literal["mcpServer"]
    enabled: bool
    state: McpServerState
    channel: NotRequired[URI]
    mcpApp: NotRequired[McpServerCustomizationApps]


class McpServerCustomizationApps(TypedDict):
    capabilities: AhpMcpUiHostCapabilities


Customization = Annotated[PluginCustomization | DirectoryCustomization | McpServerCustomization, OPEN]
CustomizationLoadState = Annotated[
    CustomizationLoadingState | CustomizationLoadedState | CustomizationDegradedState | CustomizationErrorState,
    OPEN,
]
ChildCustomization = Annotated[
    AgentCustomization
    | SkillCustomization
    | PromptCustomization
    | RuleCustomization
    | HookCustomization
    | McpServerCustomization,
    OPEN,
]
ChildCustomizationType = Literal["agent", "skill", "prompt", "rule", "hook", "mcpServer"]
