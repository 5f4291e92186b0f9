"""What follows for customizations from a change of their session, in the same transaction?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ahp_platform.eventlog.view import Refused, State, View
from ahp_platform.rpc.context import Context
from sessions_app.customizations import rows
from sessions_app.customizations.merge import every, servers

# After these somebody must look after the customizations.
CONCERNS = frozenset(
    {
        "session/ready",
        "session/activeClientSet",
        "session/customizationToggled",
        "session/mcpServerStartRequested",
        "session/workingDirectorySet",
        "session/workingDirectoryRemoved",
    }
)


def session_changed(view: View, session: str, before: State, after: State, action: Mapping[str, Any]) -> None:
    """Add what follows from one action on a session."""
    if action["type"] in CONCERNS:
        view.sql(*rows.wanted_sql(view.tenant_id, session))
    if before.get("customizations") is not after.get("customizations"):
        for channel in _channels(before) - _channels(after):
            if view.exists(channel):
                view.close(channel)


def close(view: View, session: str) -> None:
    """The session is about to be closed."""
    for channel in _channels(view.state(session)):
        if view.exists(channel):
            view.close(channel)
    for statement in rows.removed(view.tenant_id, session):
        view.sql(*statement)


def server_starts(view: View, session: str, action: dict[str, Any], context: Context) -> dict[str, Any]:
    """The intake of a request to start a server: it must be switched on, as what it is in must be."""
    for item, enabled in servers(view.state(session).get("customizations", ())):
        if item["id"] == action["id"] and not enabled:
            raise Refused("This MCP server is switched off")
    return action


def _channels(state: State) -> set[str]:
    return {item["channel"] for item in every(state.get("customizations", ())) if "channel" in item}
