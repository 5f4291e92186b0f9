"""In which state are the MCP servers of a session, and which should start or stop?"""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from ahp_platform.protocol.channels.session.customizations import change_at, customization_at, find_customization
from ahp_platform.protocol.channels.session.table import SESSION
from ahp_platform.protocol.persistent import with_field
from ahp_platform.protocol.types.mcp import McpServerState
from ahp_platform.protocol.types.session import SessionState
from ahp_platform.protocol.types.values import URI


class SessionMcpServerStateChangedAction(TypedDict):
    type: Literal["session/mcpServerStateChanged"]
    id: str
    state: McpServerState
    channel: NotRequired[URI]


class SessionMcpServerStartRequestedAction(TypedDict):
    type: Literal["session/mcpServerStartRequested"]
    id: str


class SessionMcpServerStopRequestedAction(TypedDict):
    type: Literal["session/mcpServerStopRequested"]
    id: str


def _find_server(state: SessionState, wanted: str) -> tuple[int, int | None] | None:
    place = find_customization(state, wanted)
    if place is None or customization_at(state, place).get("type") != "mcpServer":
        return None
    return place


def _moved(session: SessionState, wanted: str, server: McpServerState, channel: str | None) -> SessionState:
    """The state and the channel go together: without a channel, an earlier one is gone."""
    place = _find_server(session, wanted)
    if place is None:
        return session
    return change_at(session, place, lambda item: with_field({**item, "state": server}, "channel", channel))


@SESSION.on("session/mcpServerStateChanged", SessionMcpServerStateChangedAction)
def mcp_server_state_changed(
    state: SessionState, action: SessionMcpServerStateChangedAction, now_ms: int
) -> SessionState:
    """A server came up, went down, failed, or wants a token."""
    return _moved(state, action["id"], action["state"], action.get("channel"))


def refuse_unknown(
    state: SessionState,
    action: SessionMcpServerStartRequestedAction | SessionMcpServerStopRequestedAction,
    client_id: str,
) -> str | None:
    """There must be such a server."""
    return "There is no such MCP server" if _find_server(state, action["id"]) is None else None


@SESSION.on(
    "session/mcpServerStartRequested",
    SessionMcpServerStartRequestedAction,
    client_dispatchable=True,
    guard=refuse_unknown,
    since="0.5.2",
)
def mcp_server_start_requested(
    state: SessionState, action: SessionMcpServerStartRequestedAction, now_ms: int
) -> SessionState:
    """Shown as starting until the host tells how it went."""
    return _moved(state, action["id"], {"kind": "starting"}, None)


@SESSION.on(
    "session/mcpServerStopRequested",
    SessionMcpServerStopRequestedAction,
    client_dispatchable=True,
    guard=refuse_unknown,
    since="0.5.2",
)
def mcp_server_stop_requested(
    state: SessionState, action: SessionMcpServerStopRequestedAction, now_ms: int
) -> SessionState:
    """Shown as stopped, which also ends its wait for a token."""
    return _moved(state, action["id"], {"kind": "stopped"}, None)
