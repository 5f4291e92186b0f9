"""Which commands open a connection and its subscriptions?"""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from ahp_platform.protocol.types.actions import ActionEnvelope, StateAction
from ahp_platform.protocol.types.snapshot import Snapshot
from ahp_platform.protocol.types.values import URI, BaseParams, Implementation


class TelemetryCapabilities(TypedDict):
    logs: NotRequired[URI]
    traces: NotRequired[URI]
    metrics: NotRequired[URI]


class InitializeParams(TypedDict):
    channel: Literal["ahp-root://"]
    protocolVersions: list[str]
    clientId: str
    clientInfo: NotRequired[Implementation]
    initialSubscriptions: NotRequired[list[URI]]
    locale: NotRequired[str]
    capabilities: NotRequired[ClientCapabilities]


class ClientCapabilities(TypedDict):
    mcpApps: NotRequired[dict[str, object]]


class InitializeResult(TypedDict):
    protocolVersion: str
    serverSeq: int
    serverInfo: NotRequired[Implementation]
    snapshots: list[Snapshot]
    defaultDirectory: NotRequired[URI]
    completionTriggerCharacters: NotRequired[list[str]]
    terminalCommandPrefix: NotRequired[str]
    telemetry: NotRequired[TelemetryCapabilities]


class PingParams(TypedDict):
    channel: Literal["ahp-root://"]


class ReconnectParams(TypedDict):
    channel: Literal["ahp-root://"]
    clientId: str
    lastSeenServerSeq: int
    subscriptions: list[URI]


class ReconnectReplayResult(TypedDict):
    type: Literal["replay"]
    actions: list[ActionEnvelope]
    missing: list[URI]


class ReconnectSnapshotResult(TypedDict):
    type: Literal["snapshot"]
    snapshots: list[Snapshot]


class SubscribeParams(BaseParams):
    delivery: NotRequired[SubscriptionDeliveryOptions]
    view: NotRequired[SubscribeView]


class SubscribeView(TypedDict):
    turns: NotRequired[int]


class SubscriptionDeliveryOptions(TypedDict):
    maxLatencyMs: NotRequired[int]


class SubscribeResult(TypedDict):
    snapshot: NotRequired[Snapshot]


class UnsubscribeParams(BaseParams):
    pass


class DispatchActionParams(BaseParams):
    clientSeq: int
    action: StateAction


class AuthenticateParams(TypedDict):
    channel: Literal["ahp-root://"]
    resource: str
    token: str
    scopes: NotRequired[list[str]]


class AuthenticateResult(TypedDict):
    pass
