"""Which clients take part in a session, and with which tools?"""

from __future__ import annotations

from typing import Literal, TypedDict

from ahp_platform.protocol.channels.session.table import SESSION
from ahp_platform.protocol.persistent import find, removed, upserted
from ahp_platform.protocol.types.session import SessionActiveClient, SessionState


class SessionActiveClientSetAction(TypedDict):
    type: Literal["session/activeClientSet"]
    activeClient: SessionActiveClient


class SessionActiveClientRemovedAction(TypedDict):
    type: Literal["session/activeClientRemoved"]
    clientId: str


def refuse_set(state: SessionState, action: SessionActiveClientSetAction, client_id: str) -> str | None:
    """A client speaks for itself."""
    return None if action["activeClient"]["clientId"] == client_id else "activeClient.clientId is not your own"


@SESSION.on("session/activeClientSet", SessionActiveClientSetAction, client_dispatchable=True, guard=refuse_set)
def active_client_set(state: SessionState, action: SessionActiveClientSetAction, now_ms: int) -> SessionState:
    """A client joins, or tells anew what it offers."""
    return {**state, "activeClients": upserted(state["activeClients"], action["activeClient"], "clientId")}


def refuse_removed(state: SessionState, action: SessionActiveClientRemovedAction, client_id: str) -> str | None:
    """A client speaks for itself."""
    return None if action["clientId"] == client_id else "clientId is not your own"


@SESSION.on(
    "session/activeClientRemoved", SessionActiveClientRemovedAction, client_dispatchable=True, guard=refuse_removed
)
def active_client_removed(state: SessionState, action: SessionActiveClientRemovedAction, now_ms: int) -> SessionState:
    """A client leaves."""
    index = find(state["activeClients"], "clientId", action["clientId"])
    return state if index is None else {**state, "activeClients": removed(state["activeClients"], index)}
