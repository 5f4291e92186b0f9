"""Who sees a session, and what do lists show of it?"""

from __future__ import annotations

from typing import Any

from ahp_platform.eventlog.view import Readers, State, View
from ahp_platform.protocol.channels.session.aggregate import summary_of
from sessions_app.times import iso

PRIVATE, TENANT = "private", "tenant"


def readers_of(visibility: object, owner_id: int | None) -> Readers:
    """The readers of a session with this visibility: its owner, or the whole tenant (None)."""
    return [owner_id] if visibility == PRIVATE and owner_id is not None else None


def summary(view: View, session: str, state: State) -> dict[str, Any]:
    """The `SessionSummary` of a session in this state."""
    created = iso(view.channel(session).opened_ms)
    return dict(summary_of(state, session, created))
