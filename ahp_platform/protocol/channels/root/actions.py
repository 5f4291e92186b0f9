"""What changes the root channel?"""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from ahp_platform.protocol.channels.root.table import ROOT
from ahp_platform.protocol.config_values import merged, refuse_config
from ahp_platform.protocol.types.root import AgentInfo, RootState
from ahp_platform.protocol.types.terminal import TerminalInfo


class RootAgentsChangedAction(TypedDict):
    type: Literal["root/agentsChanged"]
    agents: list[AgentInfo]


class RootActiveSessionsChangedAction(TypedDict):
    type: Literal["root/activeSessionsChanged"]
    activeSessions: int


class RootTerminalsChangedAction(TypedDict):
    type: Literal["root/terminalsChanged"]
    terminals: list[TerminalInfo]


class RootConfigChangedAction(TypedDict):
    type: Literal["root/configChanged"]
    config: dict[str, object]
    replace: NotRequired[bool]


@ROOT.on("root/agentsChanged", RootAgentsChangedAction)
def agents_changed(state: RootState, action: RootAgentsChangedAction, now_ms: int) -> RootState:
    """The whole list of agents anew."""
    return {**state, "agents": action["agents"]}


@ROOT.on("root/activeSessionsChanged", RootActiveSessionsChangedAction)
def active_sessions_changed(state: RootState, action: RootActiveSessionsChangedAction, now_ms: int) -> RootState:
    """How many sessions there are."""
    return {**state, "activeSessions": action["activeSessions"]}


@ROOT.on("root/terminalsChanged", RootTerminalsChangedAction)
def terminals_changed(state: RootState, action: RootTerminalsChangedAction, now_ms: int) -> RootState:
    """The whole list of terminals anew."""
    return {**state, "terminals": action["terminals"]}


def refuse_config_change(state: RootState, action: RootConfigChangedAction, client_id: str) -> str | None:
    """A client may set what the schema lists, unless it is read-only, to values that fit."""
    return refuse_config(state.get("config"), action, lambda schema: not schema.get("readOnly"))


@ROOT.on("root/configChanged", RootConfigChangedAction, client_dispatchable=True, guard=refuse_config_change)
def config_changed(state: RootState, action: RootConfigChangedAction, now_ms: int) -> RootState:
    """Merge the values, or replace all of them."""
    if "config" not in state:
        return state
    values = merged(state["config"]["values"], action["config"], action.get("replace"))
    return {**state, "config": {**state["config"], "values": values}}
