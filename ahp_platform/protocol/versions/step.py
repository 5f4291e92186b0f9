"""What is one step between two protocol versions?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

Number = tuple[int, int, int]
Fields = dict[str, Any]
Rewrite = Callable[[Fields], Fields | None]

# Whatever lies below these belongs to somebody else and only looks like ours.
_FOREIGN: Final = frozenset(("_meta", "structuredContent", "config", "values", "schema", "inputSchema", "outputSchema"))


def same_action(action: Fields) -> Fields | None:
    """Nothing changes."""
    return action


def same_incoming(action: Fields, now_ms: int) -> Fields:
    """Nothing changes."""
    return action


def same_state(kind: str, state: Mapping[str, Any]) -> Mapping[str, Any]:
    """Nothing changes."""
    return state


def same_value(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Nothing changes."""
    return value


def same_params(method: str, params: Fields) -> Fields:
    """Nothing changes."""
    return params


@dataclass(frozen=True, slots=True)
class Step:
    """What the version `since` brought. `down` takes a value from it to the version before, `up` the other way."""

    since: Number
    action_down: Rewrite = same_action
    action_up: Callable[[Fields, int], Fields] = same_incoming
    state_down: Callable[[str, Mapping[str, Any]], Mapping[str, Any]] = same_state
    value_down: Callable[[Mapping[str, Any]], Mapping[str, Any]] = same_value
    params_up: Callable[[str, Fields], Fields] = same_params


def rewritten(value: Any, rewrite: Rewrite) -> Any:
    """The value with every object in it rewritten, the innermost first; one that is rewritten to None leaves its list."""
    if isinstance(value, dict):
        return rewrite({name: item if name in _FOREIGN else rewritten(item, rewrite) for name, item in value.items()})
    if isinstance(value, list):
        changed = (rewritten(item, rewrite) if isinstance(item, (dict, list)) else item for item in value)
        return [after for after, before in zip(changed, value, strict=True) if after is not None or before is None]
    return value
