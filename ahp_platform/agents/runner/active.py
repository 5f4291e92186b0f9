"""Is this turn still the one that its chat has, and how is it ended if so?

Whatever is appended for a turn passes here: in the log's own order, nothing of a turn follows its end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ahp_platform.agents.backend import Json, Object
from ahp_platform.agents.turns import TurnKey
from ahp_platform.eventlog.view import View

Plan = Callable[[View], None]


def active_turn(chat: Object) -> Object | None:
    """The chat's active turn."""
    found: Object | None = chat.get("activeTurn")
    return found


def is_active(view: View, key: TurnKey) -> bool:
    """Whether the turn runs."""
    if not view.exists(key.chat):
        return False
    active = active_turn(view.state(key.chat))
    return active is not None and active["id"] == key.turn_id


def while_active(key: TurnKey, plan: Plan) -> Plan:
    """The plan, or nothing once the turn has ended."""

    def guarded(view: View) -> None:
        if is_active(view, key):
            plan(view)

    return guarded


def acting(key: TurnKey, actions: Sequence[Json]) -> Plan:
    """Appends the actions, as far as the turn runs."""

    def plan(view: View) -> None:
        for action in actions:
            if not is_active(view, key):
                return
            view.act(key.chat, action)

    return plan


def error(error_type: str, message: str) -> Json:
    """A `chat/error` that still lacks turn and duration."""
    return {"type": "chat/error", "error": {"errorType": error_type, "message": message}}
