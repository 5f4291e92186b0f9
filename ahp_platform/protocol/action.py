"""What is an action of a channel, and how does one join its channel's table?

    @TERMINAL.on("terminal/resized", ResizedAction, client_dispatchable=True)
    def resized(state: TerminalState, action: ResizedAction, now_ms: int) -> TerminalState:
        return {**state, "cols": action["cols"], "rows": action["rows"]}

A reducer is pure and total: it never changes what it is given, and an action that does not fit returns the very
same state. A guard says in a short sentence why a *client's* action is refused in this state, or None.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ahp_platform.protocol.shape import Shape

Reducer = Callable[[Any, Any, int], Any]
Guard = Callable[[Any, Any, str], str | None]


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """One action: its shape, what it does to the state, who may dispatch it and since which version it is known."""

    type: str
    kind: str
    shape: Shape
    annotation: Any
    reduce: Reducer
    guard: Guard | None
    client_dispatchable: bool
    signal: bool
    appends: bool
    since: str


@dataclass(frozen=True, slots=True)
class Channel:
    """A kind of channel with the table of its actions."""

    kind: str
    actions: dict[str, ActionSpec] = field(default_factory=dict)

    def on(
        self,
        action_type: str,
        annotation: object,
        *,
        client_dispatchable: bool = False,
        guard: Guard | None = None,
        signal: bool = False,
        appends: bool = False,
        since: str = "0.5.1",
    ) -> Callable[[Reducer], Reducer]:
        """Register the decorated reducer.

        `signal`: must reach everybody even if it changes no state. `appends`: where it fits it always changes the
        state, so that the result need not be compared with what was.
        """

        def register(reducer: Reducer) -> Reducer:
            if action_type in self.actions:
                raise ValueError(f"{action_type} is registered twice")
            self.actions[action_type] = ActionSpec(
                action_type,
                self.kind,
                Shape(annotation),
                annotation,
                reducer,
                guard,
                client_dispatchable,
                signal,
                appends,
                since,
            )
            return reducer

        return register
