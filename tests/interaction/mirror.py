"""What does a client know after a conversation? The states it makes of its frames, and whether the stream was in order.

A client takes snapshots and reduces what follows. While it does, it checks what must hold for every client: the numbers rise
over all channels, nothing at or below a snapshot follows it, and everything has its shape.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from ahp_platform.protocol import status
from ahp_platform.protocol.channel import check_action, reduce
from ahp_platform.protocol.methods import SERVER_NOTIFICATIONS
from ahp_platform.protocol.shape import Shape
from ahp_platform.protocol.types.annotations import AnnotationsState
from ahp_platform.protocol.types.chat import ChatState
from ahp_platform.protocol.types.root import RootState
from ahp_platform.protocol.types.session import SessionState
from ahp_platform.protocol.types.terminal import TerminalState

State = Mapping[str, Any]

# The field that only states of this kind have, and their shape.
KINDS: Mapping[str, tuple[str, Any]] = {
    "root": ("agents", RootState),
    "session": ("lifecycle", SessionState),
    "chat": ("turns", ChatState),
    "annotations": ("annotations", AnnotationsState),
    "terminal": ("claim", TerminalState),
}


def kind_of(state: State) -> str:
    """Which kind of channel has such a state."""
    return next(kind for kind, (field, _) in KINDS.items() if field in state)


@cache
def _shape_of(kind: str) -> Shape:
    return Shape(KINDS[kind][1])


class Mirror:
    """The states of the channels that a client follows. `through` leaves out what has a higher number."""

    def __init__(self, states: Mapping[str, State] | None = None, through: float = float("inf")) -> None:
        self.states: dict[str, State] = dict(states or {})
        self.last = 0
        self._through = through

    def take(self, frames: Iterable[Mapping[str, Any]]) -> Mirror:
        """Read frames of the host, in the order in which they came."""
        for frame in frames:
            if frame.get("method") == "action":
                self._action(frame["params"])
            elif str(frame.get("params", {}).get("channel", "")).startswith("mcp://"):
                continue  # an MCP server's own words
            elif "method" in frame and "id" not in frame:
                SERVER_NOTIFICATIONS[frame["method"]].shape.check(frame["params"], frame["method"])
            elif isinstance(frame.get("result"), dict):
                self._result(frame["result"])
        return self

    def _result(self, result: Mapping[str, Any]) -> None:
        for snapshot in [*result.get("snapshots", ()), *filter(None, [result.get("snapshot")])]:
            state = snapshot["state"]
            _shape_of(kind_of(state)).check(state, snapshot["resource"])
            assert snapshot["fromSeq"] >= self.last, f"a snapshot at {snapshot['fromSeq']} after {self.last}"
            self.last = snapshot["fromSeq"]
            self.states[snapshot["resource"]] = state
        for envelope in result.get("actions", ()):
            self._action(envelope)

    def _action(self, envelope: Mapping[str, Any]) -> None:
        uri, action, seq = envelope["channel"], envelope["action"], envelope["serverSeq"]
        if "rejectionReason" in envelope:
            assert seq >= self.last, f"a rejection at {seq} after {self.last}"
            return
        check_action(action)
        before = self.states.get(uri)
        assert before is not None, f"{action['type']} of {uri}, which has no snapshot"
        after = reduce(kind_of(before), before, action, 0)
        # What goes to one connection alone has no number of its own.
        alone = action["type"] == "chat/turnsLoaded" or (after is before and "origin" in envelope)
        assert seq > self.last or (alone and seq == self.last), f"{action['type']} at {seq} after {self.last}"
        self.last = seq
        if seq <= self._through:
            self.states[uri] = after


def comparable(state: State) -> dict[str, Any]:
    """The state without what a client cannot know: the host's clock, and what a session shows of its chats and annotations."""
    kind = kind_of(state)
    left_out = {"chat": {"modifiedAt"}, "session": {"activity", "annotations"}}.get(kind, set())
    shown = {name: value for name, value in state.items() if name not in left_out}
    if kind == "session":
        shown["status"] = status.with_activity(shown["status"], 0)
    return shown
