"""What did 0.7.0 bring?

Sets of working directories, side chats, and attachments that quote a chat.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ahp_platform.protocol.versions.step import Fields, Step, rewritten


def _one_directory(value: Fields) -> Fields | None:
    """Before, there was one directory: the primary one, else the first. Null says that it was taken away."""
    if "workingDirectories" in value:
        several = value.pop("workingDirectories")
        primary = value.pop("primaryWorkingDirectory", several[0] if several else None)
        if primary is not None or several is None:
            value["workingDirectory"] = primary
    elif "primaryWorkingDirectory" in value:
        value["workingDirectory"] = value.pop("primaryWorkingDirectory")
    if isinstance(value.get("origin"), dict) and value["origin"].get("kind") == "sideChat":
        del value["origin"]
    if value.get("type") == "chat" and "endTurn" in value:
        return {"type": "simple", **{name: value[name] for name in ("label", "range", "_meta") if name in value}}
    return value


def _value_down(value: Mapping[str, Any]) -> Any:
    return rewritten(value, _one_directory)


def _params_up(method: str, params: Fields) -> Fields:
    if method not in ("createSession", "createChat"):
        return params
    changed = {name: value for name, value in params.items() if name != "workingDirectory"}
    if "workingDirectory" in params:
        changed.setdefault("workingDirectories", [params["workingDirectory"]])
    source = changed.get("source")
    if isinstance(source, dict) and "kind" not in source:
        # A fork was the only source there was.
        changed["source"] = {"kind": "fork", **source}
    return changed


STEP = Step(
    since=(0, 7, 0),
    action_down=_value_down,
    state_down=lambda kind, state: _value_down(state),
    value_down=_value_down,
    params_up=_params_up,
)
