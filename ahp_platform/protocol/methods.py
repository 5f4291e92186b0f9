"""Which methods are there in which direction, and what do they take and give?

Four literal maps. Shapes are compiled when a method is first used. Source: PROTOCOL.md section 1 and the
registries of the protocol's reference.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from ahp_platform.protocol.errors import InvalidParams
from ahp_platform.protocol.shape import Shape
from ahp_platform.protocol.types import changeset_commands as changesets
from ahp_platform.protocol.types import chat_commands as chats
from ahp_platform.protocol.types import connection, resources
from ahp_platform.protocol.types import notifications as notices
from ahp_platform.protocol.types import session_commands as sessions
from ahp_platform.protocol.types import terminal_commands as terminals
from ahp_platform.protocol.types.actions import ActionEnvelope
from ahp_platform.protocol.types.values import BaseParams
from ahp_platform.protocol.uris import ROOT


class DispatchedParams(BaseParams):
    """`dispatchAction` as it is read: the action is judged later, so that a bad one is rejected, not dropped."""

    clientSeq: int
    action: dict[str, object]


@dataclass(frozen=True)
class Method:
    """What a method takes and gives, since which version it exists, and whether its channel is always the root."""

    params: Any
    result: Any = None
    since: str = "0.5.1"
    connection_level: bool = False

    @cached_property
    def shape(self) -> Shape:
        """The compiled shape of the params."""
        return Shape(self.params)


_RESOURCE_METHODS: Final[dict[str, Method]] = {
    "resourceRead": Method(resources.ResourceReadParams, resources.ResourceReadResult, connection_level=True),
    "resourceWrite": Method(resources.ResourceWriteParams, resources.ResourceWriteResult, connection_level=True),
    "resourceList": Method(resources.ResourceListParams, resources.ResourceListResult, connection_level=True),
    "resourceCopy": Method(resources.ResourceCopyParams, resources.ResourceCopyResult, connection_level=True),
    "resourceDelete": Method(resources.ResourceDeleteParams, resources.ResourceDeleteResult, connection_level=True),
    "resourceMove": Method(resources.ResourceMoveParams, resources.ResourceMoveResult, connection_level=True),
    "resourceResolve": Method(resources.ResourceResolveParams, resources.ResourceResolveResult, connection_level=True),
    "resourceMkdir": Method(resources.ResourceMkdirParams, resources.ResourceMkdirResult, connection_level=True),
    "resourceRequest": Method(resources.ResourceRequestParams, resources.ResourceRequestResult, connection_level=True),
    "createResourceWatch": Method(
        resources.CreateResourceWatchParams, resources.CreateResourceWatchResult, connection_level=True
    ),
}

COMMANDS: Final[dict[str, Method]] = {
    "initialize": Method(connection.InitializeParams, connection.InitializeResult, connection_level=True),
    "ping": Method(connection.PingParams, connection_level=True),
    "reconnect": Method(
        connection.ReconnectParams,
        connection.ReconnectReplayResult | connection.ReconnectSnapshotResult,
        connection_level=True,
    ),
    "subscribe": Method(connection.SubscribeParams, connection.SubscribeResult),
    "createSession": Method(sessions.CreateSessionParams),
    "disposeSession": Method(sessions.DisposeSessionParams),
    "createChat": Method(chats.CreateChatParams),
    "disposeChat": Method(chats.DisposeChatParams),
    "createTerminal": Method(terminals.CreateTerminalParams),
    "disposeTerminal": Method(terminals.DisposeTerminalParams),
    "listSessions": Method(sessions.ListSessionsParams, sessions.ListSessionsResult, connection_level=True),
    "fetchTurns": Method(chats.FetchTurnsParams, chats.FetchTurnsResult),
    "authenticate": Method(connection.AuthenticateParams, connection.AuthenticateResult, connection_level=True),
    "resolveSessionConfig": Method(
        sessions.ResolveSessionConfigParams, sessions.ResolveSessionConfigResult, connection_level=True
    ),
    "sessionConfigCompletions": Method(
        sessions.SessionConfigCompletionsParams, sessions.SessionConfigCompletionsResult, connection_level=True
    ),
    "completions": Method(chats.CompletionsParams, chats.CompletionsResult),
    "invokeChangesetOperation": Method(
        changesets.InvokeChangesetOperationParams, changesets.InvokeChangesetOperationResult
    ),
    **_RESOURCE_METHODS,
}

SERVER_COMMANDS: Final[dict[str, Method]] = dict(_RESOURCE_METHODS)

CLIENT_NOTIFICATIONS: Final[dict[str, Method]] = {
    "unsubscribe": Method(connection.UnsubscribeParams),
    "dispatchAction": Method(DispatchedParams),
}

SERVER_NOTIFICATIONS: Final[dict[str, Method]] = {
    "action": Method(ActionEnvelope),
    "root/sessionAdded": Method(notices.SessionAddedParams),
    "root/sessionRemoved": Method(notices.SessionRemovedParams),
    "root/sessionSummaryChanged": Method(notices.SessionSummaryChangedParams),
    "root/progress": Method(notices.ProgressParams),
    "auth/required": Method(notices.AuthRequiredParams),
    "otlp/exportLogs": Method(notices.OtlpExportParams),
    "otlp/exportTraces": Method(notices.OtlpExportParams),
    "otlp/exportMetrics": Method(notices.OtlpExportParams),
}


def check_params(method: Method, params: object) -> dict[str, Any]:
    """The params, judged. A connection-level method may leave out its channel, which is then the root."""
    if params is None:
        params = {}
    if not isinstance(params, dict):
        raise InvalidParams("params: expected an object")
    if method.connection_level and "channel" not in params:
        params = {"channel": ROOT, **params}
    method.shape.check(params, "params")
    return params
