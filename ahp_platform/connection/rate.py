"""How many messages may a client send in a while?"""

from __future__ import annotations

import time

BURST_SECONDS = 4.0


class Allowance:
    """A token bucket: `per_second` messages in the long run, four seconds' worth at once."""

    def __init__(self, per_second: float) -> None:
        self._per_second = per_second
        self._left = self._most = per_second * BURST_SECONDS
        self._at = time.monotonic()

    def spend(self) -> bool:
        """Take one message's worth; False where nothing is left."""
        now = time.monotonic()
        self._left = min(self._most, self._left + (now - self._at) * self._per_second) - 1
        self._at = now
        return self._left >= 0
