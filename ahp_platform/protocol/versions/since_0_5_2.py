"""What did 0.5.2 bring?

Answered questions in the transcript, reviewed files, and clients that start and stop MCP servers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ahp_platform.protocol.versions.step import Fields, Step, rewritten

_SERVER_STATES = {"session/mcpServerStartRequested": "starting", "session/mcpServerStopRequested": "stopped"}


def _without_questions(value: Fields) -> Fields | None:
    return None if value.get("kind") == "inputRequest" and "request" in value else value


def _action_down(action: Fields) -> Fields | None:
    if action["type"] == "changeset/filesReviewedChanged":
        return None
    if action["type"] in _SERVER_STATES:
        # The request moves the state at once, which the older client must see too.
        moved = {"kind": _SERVER_STATES[action["type"]]}
        return {"type": "session/mcpServerStateChanged", "id": action["id"], "state": moved}
    if action["type"] == "chat/responsePart" and action["part"]["kind"] == "inputRequest":
        return None
    changed: Fields = rewritten(action, _without_questions)
    return changed


def _state_down(kind: str, state: Mapping[str, Any]) -> Mapping[str, Any]:
    changed: Fields = rewritten(state, _without_questions)
    return changed


STEP = Step(since=(0, 5, 2), action_down=_action_down, state_down=_state_down)
