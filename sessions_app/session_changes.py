"""What follows from a change of a session?

Its row and its summary follow, root subscribers hear of it, a client that left takes its running tool calls along,
and a change of visibility moves it in and out of sight. Source: PROTOCOL.md sections 6 and 7.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ahp_platform.eventlog.view import State, View
from sessions_app import rows
from sessions_app.root import count_session
from sessions_app.sight import readers_of, summary

# A cleared field is told as null here, because absence means "unchanged" (PROTOCOL.md section 16).
CLEARED = None

LEFT = "The client that was running this tool has left"


def session_changed(view: View, session: str, before: State, after: State, action: Mapping[str, Any]) -> None:
    """Add what follows from one action on a session."""
    _tell_summary(view, session, before, after)
    if action["type"] == "session/activeClientRemoved":
        view.sql(*rows.client_inactive(view.tenant_id, session, action["clientId"]))
        for chat in after["chats"]:
            _fail_client_tools(view, chat["resource"], action["clientId"])
    elif action["type"] == "session/configChanged":
        _move_in_sight(view, session, before, after)


def _tell_summary(view: View, session: str, before: State, after: State) -> None:
    was, now = summary(view, session, before), summary(view, session, after)
    changes = {name: value for name, value in now.items() if was.get(name) != value}
    changes |= dict.fromkeys(was.keys() - now.keys(), CLEARED)
    if changes:
        view.sql(*rows.session_changed(view.tenant_id, now))
        view.notice("root/sessionSummaryChanged", {"session": session, "changes": changes}, view.readers(session))


def _fail_client_tools(view: View, chat: str, client_id: str) -> None:
    active = view.state(chat).get("activeTurn")
    parts = active["responseParts"] if active else ()
    for part in parts:
        call = part.get("toolCall", {})
        if call.get("status") == "running" and call.get("contributor") == {"kind": "client", "clientId": client_id}:
            result = {"success": False, "pastTenseMessage": LEFT, "error": {"message": LEFT}}
            ended = {"turnId": active["id"], "toolCallId": call["toolCallId"], "result": result}
            view.act(chat, {"type": "chat/toolCallComplete", **ended})


def _move_in_sight(view: View, session: str, before: State, after: State) -> None:
    was, now = (state["config"]["values"].get("visibility") for state in (before, after))
    if was == now:
        return
    old, new = view.readers(session), readers_of(now, view.channel(session).opened_by)
    count_session(view, old, -1)
    count_session(view, new, +1)
    view.restrict(session, new)
    view.sql(*rows.session_readers(view.tenant_id, session, new))
    # Everybody who saw it loses it, and those who may see it now find it again: nobody has to be told apart.
    view.notice("root/sessionRemoved", {"session": session}, old)
    view.notice("root/sessionAdded", {"summary": summary(view, session, after)}, new)
