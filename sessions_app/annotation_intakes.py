"""Who wrote an annotation, and may it stand where it is put?

Authorship is ours to add: `_meta.author` of an entry is the user who wrote it, whatever a client sends, and nobody else changes its
text. Each function runs inside the plan, as an intake. Source: PROTOCOL.md section 11.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ahp_platform.eventlog.view import Refused, State, View
from ahp_platform.rpc.context import Context

Action = dict[str, Any]
Entry = Mapping[str, Any]


def annotation_set(view: View, uri: str, action: Action, context: Context) -> Action:
    """The annotation with its entries signed; those that were there keep their authors."""
    annotation = action["annotation"]
    _require_turn(view, uri, annotation["turnId"])
    known = _entries(view.state(uri), annotation["id"])
    entries = [_signed(known.get(entry["id"]), entry, context) for entry in annotation["entries"]]
    return {**action, "annotation": {**annotation, "entries": entries}}


def annotation_updated(view: View, uri: str, action: Action, context: Context) -> Action:
    """An annotation that moves to another turn moves to one that exists."""
    if "turnId" in action:
        _require_turn(view, uri, action["turnId"])
    return action


def entry_set(view: View, uri: str, action: Action, context: Context) -> Action:
    """The entry, signed."""
    known = _entries(view.state(uri), action["annotationId"])
    return {**action, "entry": _signed(known.get(action["entry"]["id"]), action["entry"], context)}


def _entries(state: State, annotation_id: str) -> dict[str, Entry]:
    found = (annotation for annotation in state["annotations"] if annotation["id"] == annotation_id)
    return {entry["id"]: entry for annotation in found for entry in annotation["entries"]}


def _signed(before: Entry | None, entry: Entry, context: Context) -> dict[str, Any]:
    author = {"id": str(context.principal.user_id), "name": context.principal.username}
    if before is not None:
        written_by = before.get("_meta", {}).get("author", author)
        if written_by != author and entry["text"] != before["text"]:
            raise Refused("Somebody else wrote this entry")
        author = written_by
    return {**entry, "_meta": {**entry.get("_meta", {}), "author": author}}


def _require_turn(view: View, uri: str, turn_id: str) -> None:
    session = view.channel(uri).parent
    chats = view.state(session)["chats"] if session is not None else []
    for chat in (view.state(listed["resource"]) for listed in chats):
        active = chat.get("activeTurn")
        if any(turn["id"] == turn_id for turn in [*chat["turns"], *([active] if active else [])]):
            return
    raise Refused("No chat of the session has such a turn")
