"""Which completed turns of a chat does a subscriber get, and where do the older ones begin?

A cursor names the oldest turn that the subscriber has, by its id: it stays right while newer turns are added, and a
turn that was truncated away makes it invalid. Source: PROTOCOL.md section 4 (`view.turns`) and section 8
(`fetchTurns`).
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from typing import Any

from ahp_platform.protocol.errors import InvalidParams

PAGE = 50


def bounded(state: Mapping[str, Any], turns: int) -> dict[str, Any]:
    """The chat with its `turns` latest completed turns and a cursor to the older ones, if there are any."""
    shown = {**state, "turns": state["turns"][max(0, len(state["turns"]) - turns) :]}
    if len(shown["turns"]) < len(state["turns"]):
        # With no turn shown the cursor names the turn after the last one: none, so everything is older.
        shown["turnsNextCursor"] = _cursor(shown["turns"][0]["id"] if shown["turns"] else "")
    return shown


def older(state: Mapping[str, Any], cursor: str | None) -> dict[str, Any]:
    """The `chat/turnsLoaded` action with the page before the cursor (absent: the latest page)."""
    turns: Sequence[Mapping[str, Any]] = state["turns"]
    end = len(turns) if cursor is None else _position(turns, cursor)
    start = max(0, end - PAGE)
    action: dict[str, Any] = {"type": "chat/turnsLoaded", "turns": list(turns[start:end])}
    if start:
        action["turnsNextCursor"] = _cursor(turns[start]["id"])
    return action


def through(state: Mapping[str, Any], turn_id: str) -> dict[str, Any]:
    """The `chat/turnsLoaded` action that completes a client's turns through one that is about to be named."""
    end = next((index for index, turn in enumerate(state["turns"], start=1) if turn["id"] == turn_id), 0)
    return {"type": "chat/turnsLoaded", "turns": list(state["turns"][:end])}


def _cursor(turn_id: str) -> str:
    return base64.urlsafe_b64encode(f"before:{turn_id}".encode()).decode()


def _position(turns: Sequence[Mapping[str, Any]], cursor: str) -> int:
    try:
        text = base64.b64decode(cursor, altchars=b"-_", validate=True).decode()
    except (binascii.Error, ValueError):
        raise InvalidParams("params.cursor: not a cursor of ours") from None
    kind, _, turn_id = text.partition(":")
    if kind != "before":
        raise InvalidParams("params.cursor: not a cursor of ours")
    if not turn_id:
        return len(turns)
    for index, turn in enumerate(turns):
        if turn["id"] == turn_id:
            return index
    raise InvalidParams("params.cursor: the turn it names is gone")
