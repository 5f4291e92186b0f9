"""How long may the text of one part grow?

Appending to a part copies its text, so a part without end would cost more with every delta. Beyond the limit an answer goes on in
a new part of the same kind; together they read as before.
"""

from __future__ import annotations

from collections import defaultdict

from ahp_platform.agents.backend import Json

LIMIT = 128 * 1024

KINDS = {"chat/delta": "markdown", "chat/reasoning": "reasoning"}


class PartLimit:
    """The parts of one turn: where each of the agent's parts goes on, and how long that one is, in characters."""

    def __init__(self) -> None:
        self._goes_on_in: dict[str, str] = {}
        self._length: defaultdict[str, int] = defaultdict(int)

    def within(self, action: Json) -> list[Json]:
        """The action, or what stands for it where its part is full."""
        kind = KINDS.get(action["type"])
        if kind is None:
            return [action]
        asked: str = action["partId"]
        part = self._goes_on_in.get(asked, asked)
        opening: list[Json] = []
        if self._length[part] and self._length[part] + len(action["content"]) > LIMIT:
            part = f"{asked}~{len(self._length)}"
            self._goes_on_in[asked] = part
            begun = {"kind": kind, "id": part, "content": ""}
            opening = [{"type": "chat/responsePart", "turnId": action["turnId"], "part": begun}]
        self._length[part] += len(action["content"])
        return [*opening, action if part == asked else {**action, "partId": part}]
