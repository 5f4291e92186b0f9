"""What did 0.6.0 bring?

Open questions as parts of the turn (before, a list of the chat's own), tool calls that wait for a token, times of
turns, and clients that mark files as reviewed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ahp_platform.protocol.persistent import timestamp
from ahp_platform.protocol.versions.step import Fields, Step, rewritten


def _without_auth(value: Fields) -> Fields | None:
    """A call that waits for a token was simply running; nobody was asked for one."""
    if value.get("kind") == "toolAuthentication":
        return None
    if value.get("status") == "auth-required":
        return {**{name: item for name, item in value.items() if name != "auth"}, "status": "running"}
    return value


def _action_down(action: Fields) -> Fields | None:
    if action["type"] == "session/inputNeededSet" and action["request"]["kind"] == "toolAuthentication":
        return None
    if action["type"] == "changeset/filesReviewChanged":
        return {
            "type": "changeset/filesReviewedChanged",
            "fileIds": action["files"],
            "reviewed": action["reviewed"],
        }
    changed: Fields = rewritten(action, _without_auth)
    return changed


def _state_down(kind: str, state: Mapping[str, Any]) -> Mapping[str, Any]:
    changed: Fields = rewritten(state, _without_auth)
    if kind == "session" and not changed.get("inputNeeded", True):
        del changed["inputNeeded"]
    if kind == "chat" and "activeTurn" in changed:
        parts = changed["activeTurn"]["responseParts"]
        asked = [part["request"] for part in parts if _is_open(part)]
        changed["activeTurn"]["responseParts"] = [part for part in parts if not _is_open(part)]
        if asked:
            changed["inputRequests"] = asked
    return changed


def _is_open(part: Fields) -> bool:
    return part["kind"] == "inputRequest" and "response" not in part


def _action_up(action: Fields, now_ms: int) -> Fields:
    if action.get("type") == "chat/turnStarted":
        return {"startedAt": timestamp(now_ms), **action}
    if action.get("type") == "chat/turnCancelled":
        return {"duration": 0, **action}
    return action


STEP = Step(since=(0, 6, 0), action_down=_action_down, action_up=_action_up, state_down=_state_down)
