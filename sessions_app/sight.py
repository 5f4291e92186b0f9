"""Who sees a session, and what do lists show of it?"""

from __future__ import annotations

from typing import Any

from ahp_platform.eventlog.view import State, View
from ahp_platform.protocol import uris
from ahp_platform.protocol.channels.session.aggregate import counted, summary_of
from sessions_app.times import iso

PRIVATE, TENANT = "private", "tenant"


def summary(view: View, session: str, state: State) -> dict[str, Any]:
    """The `SessionSummary` of a session in this state, with the annotations as they are now."""
    notes = view.find(uris.annotations_of(session))
    return summary_with(view, session, state, notes.state if notes else None)


def summary_with(view: View, session: str, state: State, notes: State | None) -> dict[str, Any]:
    """As `summary`, with this state of the annotations (None: there are none yet, or no more)."""
    created = iso(view.channel(session).opened_ms)
    return dict(summary_of(counted(state, session, notes), session, created))
