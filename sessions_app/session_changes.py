"""What follows from a change of a session?

Its row and its summary follow, root subscribers hear of it, a client that left takes its running tool calls along,
and a change of visibility moves it in and out of sight. Source: PROTOCOL.md sections 6 and 7.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ahp_platform.eventlog.view import Readers, State, View
from sessions_app import people, rows
from sessions_app.customizations import consequences as of_customizations
from sessions_app.root import count_session
from sessions_app.sight import summary, summary_with

# A cleared field is told as null here, because absence means "unchanged" (PROTOCOL.md section 16).
CLEARED = None

LEFT = "The client that was running this tool has left"


def session_changed(view: View, session: str, before: State, after: State, action: Mapping[str, Any]) -> None:
    """Add what follows from one action on a session."""
    _tell_summary(view, session, before, after)
    of_customizations.session_changed(view, session, before, after, action)
    if action["type"] == "session/activeClientRemoved":
        view.sql(*rows.client_inactive(view.tenant_id, session, action["clientId"]))
        for chat in after["chats"]:
            _fail_client_tools(view, chat["resource"], action["clientId"])
    elif action["type"] == "session/configChanged":
        _move_in_sight(view, session, before, after)


def annotations_changed(view: View, session: str, before: State, after: State) -> None:
    """Add what follows from one action on a session's annotations: their number is part of its summary."""
    state = view.state(session)
    _tell(view, session, summary_with(view, session, state, before), summary_with(view, session, state, after))


def _tell_summary(view: View, session: str, before: State, after: State) -> None:
    _tell(view, session, summary(view, session, before), summary(view, session, after))


def _tell(view: View, session: str, was: Mapping[str, Any], now: Mapping[str, Any]) -> None:
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
    if before["config"]["values"] == after["config"]["values"]:
        return
    old = view.readers(session)
    new = people.readers(view.tenant_id, view.channel(session).opened_by, after["config"]["values"])
    if old == new:
        return
    count_session(view, old, -1)
    count_session(view, new, +1)
    view.restrict(session, new)
    view.sql(*rows.session_readers(view.tenant_id, session, new))
    lost, gained = _differences(old, new)
    if lost != []:
        view.notice("root/sessionRemoved", {"session": session}, lost)
    if gained != []:
        view.notice("root/sessionAdded", {"summary": summary(view, session, after)}, gained)


def _differences(old: Readers, new: Readers) -> tuple[Readers, Readers]:
    """Who loses sight of it, and who comes to see it. The whole tenant is told apart from nobody: it loses and finds it again."""
    if old is None or new is None:
        return old, new
    return sorted(set(old) - set(new)), sorted(set(new) - set(old))
