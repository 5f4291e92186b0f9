"""Which actions exist on which channels, and what does one do there?

CHANNELS and ACTIONS are the tables that everything else looks things up in.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ahp_platform.protocol.action import ActionSpec, Channel
from ahp_platform.protocol.channels.annotations import ANNOTATIONS
from ahp_platform.protocol.channels.changeset import CHANGESET
from ahp_platform.protocol.channels.chat import CHAT
from ahp_platform.protocol.channels.mcp import MCP
from ahp_platform.protocol.channels.otlp import OTLP
from ahp_platform.protocol.channels.resource_watch import RESOURCE_WATCH
from ahp_platform.protocol.channels.root import ROOT
from ahp_platform.protocol.channels.session import SESSION
from ahp_platform.protocol.channels.terminal import TERMINAL
from ahp_platform.protocol.errors import InvalidParams
from ahp_platform.protocol.persistent import same

__all__ = ["ACTIONS", "CHANNELS", "ActionSpec", "Channel", "check_action", "reduce", "refuse"]

CHANNELS: Final[dict[str, Channel]] = {
    "root": ROOT,
    "session": SESSION,
    "chat": CHAT,
    "terminal": TERMINAL,
    "changeset": CHANGESET,
    "annotations": ANNOTATIONS,
    "resource_watch": RESOURCE_WATCH,
    "otlp": OTLP,
    "mcp": MCP,
}
ACTIONS: Final[dict[str, ActionSpec]] = {
    action_type: spec for channel in CHANNELS.values() for action_type, spec in channel.actions.items()
}


def check_action(action: object) -> ActionSpec | None:
    """The spec of an action; None for a type that we do not know. Raises InvalidParams with the path that is wrong."""
    if not isinstance(action, dict) or not isinstance(action.get("type"), str):
        raise InvalidParams("action.type: expected a string")
    spec = ACTIONS.get(action["type"])
    if spec is not None:
        spec.shape.check(action, "action")
    return spec


def reduce(kind: str, state: Any, action: Mapping[str, Any], now_ms: int) -> Any:
    """The state after the action; the very same object where the action does not fit, is unknown or changes nothing."""
    spec = ACTIONS.get(action["type"])
    if spec is None or spec.kind != kind:
        return state
    after = spec.reduce(state, action, now_ms)
    if after is state or spec.appends or after != state:
        return after
    return state if same(after, state) else after


def refuse(kind: str, state: Any, action: Mapping[str, Any], client_id: str) -> str | None:
    """Why a well-shaped action that this client dispatches is refused, as far as the channel's own state tells."""
    spec = ACTIONS.get(action["type"])
    if spec is None:
        return f"Unknown action type {action['type']}"
    if spec.kind != kind:
        return f"{spec.type} is not an action of this channel"
    if not spec.client_dispatchable:
        return f"{spec.type} is dispatched by the host alone"
    return spec.guard(state, action, client_id) if spec.guard else None
