"""What does an agent write to its standard error, and what may people see of it?

The end is kept, without the values of its environment, which may be secrets.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable

KEPT_BYTES = 8 * 1024
SHOWN_CHARACTERS = 600
READ_AT_ONCE = 64 * 1024

# Shorter values are words like `1` or `true`, which hide nothing and would make every text unreadable.
SECRET_LENGTH = 6

_SEQUENCES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f]")


class Complaints:
    """The end of one process's standard error."""

    def __init__(self, stream: asyncio.StreamReader, secrets: Iterable[str]) -> None:
        self._stream = stream
        self._secrets = sorted({each for each in secrets if len(each) >= SECRET_LENGTH}, key=len, reverse=True)
        self._kept = b""
        self._reading = asyncio.create_task(self._read())

    async def last(self, within_s: float) -> str:
        """What was written at last, once no more comes or after a while."""
        await asyncio.wait({self._reading}, timeout=within_s)
        return self.masked(self._kept.decode(errors="replace"))[-SHOWN_CHARACTERS:].strip()

    def masked(self, text: str) -> str:
        """A text of the agent's that people may see."""
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return _SEQUENCES.sub("", text)

    def close(self) -> None:
        """Read no more."""
        self._reading.cancel()

    async def _read(self) -> None:
        while read := await self._stream.read(READ_AT_ONCE):
            self._kept = (self._kept + read)[-KEPT_BYTES:]
