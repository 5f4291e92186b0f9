"""What is a session configured with?"""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from ahp_platform.protocol.channels.session.table import SESSION
from ahp_platform.protocol.config_values import merged, refuse_config
from ahp_platform.protocol.types.session import SessionState


class SessionConfigChangedAction(TypedDict):
    type: Literal["session/configChanged"]
    config: dict[str, object]
    replace: NotRequired[bool]


def refuse_config_change(state: SessionState, action: SessionConfigChangedAction, client_id: str) -> str | None:
    """Once the session is there, only what its schema marks as mutable may change."""
    return refuse_config(
        state.get("config"), action, lambda schema: bool(schema.get("sessionMutable")) and not schema.get("readOnly")
    )


@SESSION.on("session/configChanged", SessionConfigChangedAction, client_dispatchable=True, guard=refuse_config_change)
def config_changed(state: SessionState, action: SessionConfigChangedAction, now_ms: int) -> SessionState:
    """Merge the values, or replace all of them."""
    if "config" not in state:
        return state
    values = merged(state["config"]["values"], action["config"], action.get("replace"))
    return {**state, "config": {**state["config"], "values": values}}
