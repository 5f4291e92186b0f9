"""Which actions are there, and what carries one?"""

from __future__ import annotations

from typing import Annotated, NotRequired, TypedDict

from ahp_platform.protocol.channels.annotations.actions import (
    AnnotationsEntryRemovedAction,
    AnnotationsEntrySetAction,
    AnnotationsRemovedAction,
    AnnotationsSetAction,
    AnnotationsUpdatedAction,
)
from ahp_platform.protocol.channels.changeset.files import (
    ChangesetClearedAction,
    ChangesetContentChangedAction,
    ChangesetFileRemovedAction,
    ChangesetFileSetAction,
    ChangesetFilesReviewChangedAction,
    ChangesetStatusChangedAction,
)
from ahp_platform.protocol.channels.changeset.operations import (
    ChangesetOperationsChangedAction,
    ChangesetOperationStatusChangedAction,
)
from ahp_platform.protocol.channels.chat.authentication import (
    ChatToolCallAuthRequiredAction,
    ChatToolCallAuthResolvedAction,
)
from ahp_platform.protocol.channels.chat.confirmations import (
    ChatToolCallConfirmedAction,
    ChatToolCallResultConfirmedAction,
)
from ahp_platform.protocol.channels.chat.context import (
    ChatActivityChangedAction,
    ChatDraftChangedAction,
    ChatWorkingDirectoryRemovedAction,
    ChatWorkingDirectorySetAction,
)
from ahp_platform.protocol.channels.chat.history import (
    ChatTruncatedAction,
    ChatTurnsLoadedAction,
)
from ahp_platform.protocol.channels.chat.input_requests import (
    ChatInputAnswerChangedAction,
    ChatInputCompletedAction,
    ChatInputRequestedAction,
)
from ahp_platform.protocol.channels.chat.parts import (
    ChatDeltaAction,
    ChatReasoningAction,
    ChatResponsePartAction,
)
from ahp_platform.protocol.channels.chat.pending_messages import (
    ChatPendingMessageRemovedAction,
    ChatPendingMessageSetAction,
    ChatQueuedMessagesReorderedAction,
)
from ahp_platform.protocol.channels.chat.tool_calls import (
    ChatToolCallCompleteAction,
    ChatToolCallContentChangedAction,
    ChatToolCallDeltaAction,
    ChatToolCallReadyAction,
    ChatToolCallStartAction,
)
from ahp_platform.protocol.channels.chat.turns import (
    ChatErrorAction,
    ChatTurnCancelledAction,
    ChatTurnCompleteAction,
    ChatTurnStartedAction,
    ChatUsageAction,
)
from ahp_platform.protocol.channels.resource_watch import ResourceWatchChangedAction
from ahp_platform.protocol.channels.root.actions import (
    RootActiveSessionsChangedAction,
    RootAgentsChangedAction,
    RootConfigChangedAction,
    RootTerminalsChangedAction,
)
from ahp_platform.protocol.channels.session.catalogue import (
    SessionChatAddedAction,
    SessionChatRemovedAction,
    SessionChatUpdatedAction,
    SessionDefaultChatChangedAction,
)
from ahp_platform.protocol.channels.session.clients import (
    SessionActiveClientRemovedAction,
    SessionActiveClientSetAction,
)
from ahp_platform.protocol.channels.session.configuration import SessionConfigChangedAction
from ahp_platform.protocol.channels.session.customizations import (
    SessionCustomizationRemovedAction,
    SessionCustomizationsChangedAction,
    SessionCustomizationToggledAction,
    SessionCustomizationUpdatedAction,
)
from ahp_platform.protocol.channels.session.directories import (
    SessionWorkingDirectoryRemovedAction,
    SessionWorkingDirectorySetAction,
)
from ahp_platform.protocol.channels.session.input_needed import (
    SessionInputNeededRemovedAction,
    SessionInputNeededSetAction,
)
from ahp_platform.protocol.channels.session.lifecycle import (
    SessionActivityChangedAction,
    SessionChangesetsChangedAction,
    SessionCreationFailedAction,
    SessionIsArchivedChangedAction,
    SessionIsReadChangedAction,
    SessionMetaChangedAction,
    SessionReadyAction,
    SessionServerToolsChangedAction,
    SessionTitleChangedAction,
)
from ahp_platform.protocol.channels.session.mcp_servers import (
    SessionMcpServerStartRequestedAction,
    SessionMcpServerStateChangedAction,
    SessionMcpServerStopRequestedAction,
)
from ahp_platform.protocol.channels.terminal.commands import (
    TerminalCommandDetectionAvailableAction,
    TerminalCommandExecutedAction,
    TerminalCommandFinishedAction,
)
from ahp_platform.protocol.channels.terminal.screen import (
    TerminalClaimedAction,
    TerminalClearedAction,
    TerminalCwdChangedAction,
    TerminalDataAction,
    TerminalExitedAction,
    TerminalInputAction,
    TerminalResizedAction,
    TerminalTitleChangedAction,
)
from ahp_platform.protocol.shape import OPEN
from ahp_platform.protocol.types.values import URI

StateAction = Annotated[
    RootAgentsChangedAction
    | RootActiveSessionsChangedAction
    | RootTerminalsChangedAction
    | RootConfigChangedAction
    | SessionReadyAction
    | SessionCreationFailedAction
    | SessionChatAddedAction
    | SessionChatRemovedAction
    | SessionChatUpdatedAction
    | SessionDefaultChatChangedAction
    | SessionTitleChangedAction
    | SessionServerToolsChangedAction
    | SessionActiveClientSetAction
    | SessionActiveClientRemovedAction
    | SessionWorkingDirectorySetAction
    | SessionWorkingDirectoryRemovedAction
    | SessionInputNeededSetAction
    | SessionInputNeededRemovedAction
    | SessionCustomizationsChangedAction
    | SessionCustomizationToggledAction
    | SessionCustomizationUpdatedAction
    | SessionCustomizationRemovedAction
    | SessionMcpServerStateChangedAction
    | SessionMcpServerStartRequestedAction
    | SessionMcpServerStopRequestedAction
    | SessionIsReadChangedAction
    | SessionIsArchivedChangedAction
    | SessionActivityChangedAction
    | SessionChangesetsChangedAction
    | SessionConfigChangedAction
    | SessionMetaChangedAction
    | ChatTurnStartedAction
    | ChatDeltaAction
    | ChatResponsePartAction
    | ChatToolCallStartAction
    | ChatToolCallDeltaAction
    | ChatToolCallReadyAction
    | ChatToolCallConfirmedAction
    | ChatToolCallCompleteAction
    | ChatToolCallResultConfirmedAction
    | ChatToolCallContentChangedAction
    | ChatToolCallAuthRequiredAction
    | ChatToolCallAuthResolvedAction
    | ChatTurnCompleteAction
    | ChatTurnCancelledAction
    | ChatErrorAction
    | ChatActivityChangedAction
    | ChatWorkingDirectorySetAction
    | ChatWorkingDirectoryRemovedAction
    | ChatUsageAction
    | ChatReasoningAction
    | ChatPendingMessageSetAction
    | ChatPendingMessageRemovedAction
    | ChatQueuedMessagesReorderedAction
    | ChatDraftChangedAction
    | ChatInputRequestedAction
    | ChatInputAnswerChangedAction
    | ChatInputCompletedAction
    | ChatTruncatedAction
    | ChatTurnsLoadedAction
    | ChangesetStatusChangedAction
    | ChangesetFileSetAction
    | ChangesetFileRemovedAction
    | ChangesetFilesReviewChangedAction
    | ChangesetContentChangedAction
    | ChangesetOperationsChangedAction
    | ChangesetOperationStatusChangedAction
    | ChangesetClearedAction
    | AnnotationsSetAction
    | AnnotationsUpdatedAction
    | AnnotationsRemovedAction
    | AnnotationsEntrySetAction
    | AnnotationsEntryRemovedAction
    | TerminalDataAction
    | TerminalInputAction
    | TerminalResizedAction
    | TerminalClaimedAction
    | TerminalTitleChangedAction
    | TerminalCwdChangedAction
    | TerminalExitedAction
    | TerminalClearedAction
    | TerminalCommandDetectionAvailableAction
    | TerminalCommandExecutedAction
    | TerminalCommandFinishedAction
    | ResourceWatchChangedAction,
    OPEN,
]


class ActionOrigin(TypedDict):
    clientId: str
    clientSeq: int


class ActionEnvelope(TypedDict):
    channel: URI
    action: StateAction
    serverSeq: int
    origin: NotRequired[ActionOrigin]
    rejectionReason: NotRequired[str]
