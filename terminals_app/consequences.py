"""What follows from a change of a terminal, or of the session that it belongs to, in the same transaction?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ahp_platform.eventlog.view import State, View
from terminals_app import terminals


def derive(view: View, channel: str, before: State, after: State, action: Mapping[str, Any]) -> None:
    """Add what follows from `action` having turned `before` into `after`."""
    kind = action["type"]
    if kind.startswith("terminal/"):
        terminals.changed(view, channel, before, after, action)
    elif kind == "session/configChanged":
        terminals.session_changed(view, channel)
