"""What follows from a change, in the same transaction?

The log calls `derive` after each action that changed something: a chat's status shows in its session, open questions
are mirrored, queued messages start, tables follow. Everything here is a function of states and the action. Source:
PROTOCOL.md sections 6 to 8.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ahp_platform.agents import turns
from ahp_platform.eventlog.view import State, View
from ahp_platform.protocol.channels.chat.summary import chat_summary, open_input_requests
from sessions_app import queue, rows
from sessions_app.session_changes import annotations_changed, session_changed
from sessions_app.times import elapsed_ms

Action = Mapping[str, Any]

# What streams changes no status and opens no question: looking for either would cost more than the delta.
STREAMED = frozenset({"chat/delta", "chat/reasoning", "chat/toolCallDelta", "chat/usage", "chat/draftChanged"})

TURN_ENDS: Mapping[str, turns.Ending] = {
    "chat/turnComplete": "complete",
    "chat/turnCancelled": "cancelled",
    "chat/error": "error",
}

# After these a chat may be idle with messages waiting.
STARTS_QUEUED = frozenset({*TURN_ENDS, "chat/truncated", "chat/pendingMessageSet"})


def derive(view: View, channel: str, before: State, after: State, action: Action) -> None:
    """Add what follows from `action` having turned `before` into `after`."""
    found = view.channel(channel)
    if found.kind == "chat" and found.parent is not None:
        _chat_changed(view, channel, found.parent, before, after, action)
    elif found.kind == "session":
        session_changed(view, channel, before, after, action)
    elif found.kind == "annotations" and found.parent is not None:
        annotations_changed(view, found.parent, before, after)


def _chat_changed(view: View, chat: str, session: str, before: State, after: State, action: Action) -> None:
    kind = action["type"]
    if kind not in STREAMED:
        _mirror_requests(view, session, before, after)
        _mirror_summary(view, chat, session, before, after)
    record = _RECORDED.get(kind)
    if record is not None:
        record(view, chat, session, before, action)
    if kind in STARTS_QUEUED and "activeTurn" not in after and after.get("queuedMessages"):
        queue.next_turn(view, chat)


def _mirror_requests(view: View, session: str, before: State, after: State) -> None:
    was = {request["id"]: request for request in open_input_requests(before)}
    now = {request["id"]: request for request in open_input_requests(after)}
    for gone in was.keys() - now.keys():
        view.act(session, {"type": "session/inputNeededRemoved", "id": gone})
    for request_id, request in now.items():
        if was.get(request_id) != request:
            view.act(session, {"type": "session/inputNeededSet", "request": request})


def _mirror_summary(view: View, chat: str, session: str, before: State, after: State) -> None:
    was, now = chat_summary(before), chat_summary(after)
    changes = {name: value for name, value in now.items() if was.get(name) != value}
    if was.keys() - now.keys():
        # A change cannot say that a field was cleared; replacing the whole summary can.
        view.act(session, {"type": "session/chatAdded", "summary": now})
    elif changes:
        view.act(session, {"type": "session/chatUpdated", "chat": chat, "changes": changes})


# ---- what tables keep of a chat


def _turn_started(view: View, chat: str, session: str, before: State, action: Action) -> None:
    provider = view.state(session)["provider"]
    model = action["message"].get("model", {}).get("id", "")
    accepted = turns.Accepted(session, provider, view.user_id, model)
    view.sql(*turns.started_sql(turns.TurnKey(view.tenant_id, chat, action["turnId"]), accepted))


def _turn_ended(view: View, chat: str, session: str, before: State, action: Action) -> None:
    state = TURN_ENDS[action["type"]]
    key = turns.TurnKey(view.tenant_id, chat, action["turnId"])
    error_type = action["error"]["errorType"] if "error" in action else None
    view.sql(*turns.ended_sql(key, state, int(max(0, action["duration"])), error_type))


def _turn_usage(view: View, chat: str, session: str, before: State, action: Action) -> None:
    view.sql(*turns.usage_sql(turns.TurnKey(view.tenant_id, chat, action["turnId"]), action["usage"]))


def _truncated(view: View, chat: str, session: str, before: State, action: Action) -> None:
    active = before.get("activeTurn")
    if active:
        duration = elapsed_ms(active["startedAt"], view.now_ms)
        view.sql(*turns.ended_sql(turns.TurnKey(view.tenant_id, chat, active["id"]), "cancelled", duration))


def _message_set(view: View, chat: str, session: str, before: State, action: Action) -> None:
    if action["kind"] == "queued" and view.user_id is not None:
        view.sql(*rows.message_queued(view.tenant_id, chat, action["id"], view.user_id))


_RECORDED: Mapping[str, Callable[[View, str, str, State, Action], None]] = {
    "chat/turnStarted": _turn_started,
    "chat/turnComplete": _turn_ended,
    "chat/turnCancelled": _turn_ended,
    "chat/error": _turn_ended,
    "chat/usage": _turn_usage,
    "chat/truncated": _truncated,
    "chat/pendingMessageSet": _message_set,
}
