"""What does a turn wait for: an answer, a confirmation, a client's tool?"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from ahp_platform.agents.backend import Json, TurnOver

Kind = Literal["confirmation", "answers", "result"]


class Waits:
    """The open waits of one turn. A wait that is released, because the turn is over, comes to None."""

    def __init__(self) -> None:
        self._futures: dict[tuple[Kind, str], asyncio.Future[Json | None]] = {}
        self._elsewhere = 0
        self._released = False

    def expect(self, kind: Kind, id: str) -> asyncio.Future[Json | None]:
        """What will come to `resolve`. To be called before the question is put; who asks again waits for the same."""
        found = self._futures.get((kind, id))
        if found is None:
            found = asyncio.get_running_loop().create_future()
            if self._released:
                found.set_result(None)
            else:
                self._futures[kind, id] = found
        # Shielded: one of several who wait may be cancelled alone.
        return asyncio.shield(found)

    def resolve(self, kind: Kind, id: str, value: Json) -> None:
        """It has come; nothing happens where nobody waits for it."""
        found = self._futures.pop((kind, id), None)
        if found is not None:
            found.set_result(value)

    def release(self) -> None:
        """Nothing will come any more."""
        self._released = True
        for future in self._futures.values():
            future.set_result(None)
        self._futures.clear()

    def check_open(self) -> None:
        """Raise `TurnOver` once the turn is over."""
        if self._released:
            raise TurnOver

    @contextmanager
    def elsewhere(self) -> Iterator[None]:
        """While the turn waits for something that is not announced here."""
        self._elsewhere += 1
        try:
            yield
        finally:
            self._elsewhere -= 1

    @property
    def any(self) -> bool:
        """Whether the turn waits for somebody else."""
        return bool(self._futures or self._elsewhere)
