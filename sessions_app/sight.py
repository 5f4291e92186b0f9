"""Who sees a session, and what do lists show of it?"""

from __future__ import annotations

from typing import Any

from ahp_platform.eventlog.view import State, View
from ahp_platform.protocol.channels.session.aggregate import summary_of
from sessions_app.times import iso

PRIVATE, TENANT = "private", "tenant"


def summary(view: View, session: str, state: State) -> dict[str, Any]:
    """The `SessionSummary` of a session in this state."""
    created = iso(view.channel(session).opened_ms)
    return dict(summary_of(state, session, created))
