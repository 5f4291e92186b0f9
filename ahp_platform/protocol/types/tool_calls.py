"""Which states does a tool call go through?"""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from ahp_platform.protocol.shape import OPEN
from ahp_platform.protocol.types.mcp import McpAuthRequirement
from ahp_platform.protocol.types.messages import Message
from ahp_platform.protocol.types.tool_results import FileEdits, ToolCallResult, ToolResultContent
from ahp_platform.protocol.types.values import StringOrMarkdown


class ToolCallRiskAssessmentBase(TypedDict):
    kind: ToolCallRiskAssessmentKind


class ToolCallRiskAssessmentLoadingState(ToolCallRiskAssessmentBase):
    status: Literal["loading"]


class ToolCallRiskAssessmentCompleteState(ToolCallRiskAssessmentBase):
    status: Literal["complete"]
    reason: StringOrMarkdown
    safety: float


class ConfirmationOption(TypedDict):
    id: str
    label: str
    kind: ConfirmationOptionKind
    group: NotRequired[float]


class ToolCallClientContributor(TypedDict):
    kind: Literal["client"]
    clientId: str


class ToolCallMcpContributor(TypedDict):
    kind: Literal["mcp"]
    customizationId: str


class ToolCallBase(TypedDict):
    toolCallId: str
    toolName: str
    displayName: str
    intention: NotRequired[str]
    contributor: NotRequired[ToolCallContributor]
    _meta: NotRequired[dict[str, object]]


class ToolCallParameterFields(TypedDict):
    invocationMessage: StringOrMarkdown
    toolInput: NotRequired[str]


class ToolCallStreamingState(ToolCallBase):
    status: Literal["streaming"]
    partialInput: NotRequired[str]
    invocationMessage: NotRequired[StringOrMarkdown]


class ToolCallPendingConfirmationState(ToolCallBase, ToolCallParameterFields):
    status: Literal["pending-confirmation"]
    confirmationTitle: NotRequired[StringOrMarkdown]
    riskAssessment: NotRequired[ToolCallRiskAssessment]
    edits: NotRequired[FileEdits]
    editable: NotRequired[bool]
    options: NotRequired[list[ConfirmationOption]]


class ToolCallPostConfirmationFields(TypedDict):
    confirmed: ToolCallConfirmationReason
    selectedOption: NotRequired[ConfirmationOption]


class ToolCallRunningState(ToolCallBase, ToolCallParameterFields, ToolCallPostConfirmationFields):
    status: Literal["running"]
    content: NotRequired[list[ToolResultContent]]


class ToolCallAuthRequiredState(ToolCallParameterFields, ToolCallPostConfirmationFields):
    toolCallId: str
    toolName: str
    displayName: str
    intention: NotRequired[str]
    contributor: ToolCallMcpContributor
    _meta: NotRequired[dict[str, object]]
    status: Literal["auth-required"]
    auth: McpAuthRequirement
    content: NotRequired[list[ToolResultContent]]


class ToolCallPendingResultConfirmationState(
    ToolCallBase, ToolCallParameterFields, ToolCallResult, ToolCallPostConfirmationFields
):
    status: Literal["pending-result-confirmation"]


class ToolCallCompletedState(ToolCallBase, ToolCallParameterFields, ToolCallResult, ToolCallPostConfirmationFields):
    status: Literal["completed"]


class ToolCallCancelledState(ToolCallBase, ToolCallParameterFields):
    status: Literal["cancelled"]
    reason: ToolCallCancellationReason
    reasonMessage: NotRequired[StringOrMarkdown]
    userSuggestion: NotRequired[Message]
    selectedOption: NotRequired[ConfirmationOption]


ToolCallConfirmationState = ToolCallPendingConfirmationState | ToolCallPendingResultConfirmationState
ToolCallState = Annotated[
    ToolCallStreamingState
    | ToolCallPendingConfirmationState
    | ToolCallRunningState
    | ToolCallAuthRequiredState
    | ToolCallPendingResultConfirmationState
    | ToolCallCompletedState
    | ToolCallCancelledState,
    OPEN,
]
ToolCallRiskAssessmentKind = Literal["judge"]
ConfirmationOptionKind = Literal["approve", "deny"]
ToolCallContributor = Annotated[ToolCallClientContributor | ToolCallMcpContributor, OPEN]
ToolCallRiskAssessment = Annotated[ToolCallRiskAssessmentLoadingState | ToolCallRiskAssessmentCompleteState, OPEN]
ToolCallConfirmationReason = Literal["not-needed", "user-action", "setting"]
ToolCallCancellationReason = Literal["denied", "skipped", "result-denied"]
