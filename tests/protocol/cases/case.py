"""What is a case?"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

State = dict[str, Any]
Action = dict[str, Any]

NOW_MS: Final = 5000
NOW: Final = "1970-01-01T00:00:05.000Z"
GONE: Final = object()
ME: Final = "my-client"


@dataclass(frozen=True)
class Case:
    """`action` turns `state` into itself with `changes`; `misfit` leaves its state (by default that one) as it is."""

    state: State
    action: Action
    changes: dict[str, Any]
    misfit: Action
    misfit_state: State | None = None

    def after(self) -> State:
        """The state that must come out."""
        merged = {**self.state, **self.changes}
        return {name: value for name, value in merged.items() if value is not GONE}


@dataclass(frozen=True)
class Refusal:
    """The client may not dispatch the action in this state, for this reason."""

    state: State
    action: Action
    reason: str
    client: str = field(default=ME)
