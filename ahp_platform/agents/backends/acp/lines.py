"""How do messages get over an agent's pipes, one a line, whatever else it writes there?

A `Transport` of the SDK's. Lines that are no messages are passed over and remembered, very long ones are not kept, and many of
either without a message between them end the conversation. A `session/update` is handled before the next line is looked at, so
that updates keep their order, a response comes after all of them, and an agent that is too fast has to wait.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

from acp.meta import CLIENT_METHODS

from ahp_platform.agents.backend import Json

Update = Callable[[Json], Awaitable[None]]

MAX_LINE_BYTES = 16 * 1024 * 1024
MAX_NONSENSE = 200
# Requests of the agent that wait for our answers.
MAX_ASKED = 256
READ_AT_ONCE = 256 * 1024
# Handling an update may never wait for anything, and then nothing else in this process would get its turn.
YIELD_EVERY = 64

SHOWN_LINES, SHOWN_CHARACTERS = 3, 200

UPDATE = CLIENT_METHODS["session_update"]


class Lines:
    """The messages of one process. `nonsense` has the last lines that were none."""

    def __init__(self, process: asyncio.subprocess.Process, update: Update) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._stdin, self._stdout, self._update = process.stdin, process.stdout, update
        self._buffer = bytearray()
        self._too_long = False
        self._in_a_row = 0
        self._updates = 0
        self.nonsense: deque[str] = deque(maxlen=SHOWN_LINES)
        self._asked = 0
        # What the agent did that ends the conversation.
        self.broken = ""

    async def send(self, message: dict[str, Any]) -> None:
        """Write a message; raises `OSError` where the agent is gone."""
        if "method" not in message:
            self._asked -= 1
        self._stdin.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")
        await self._stdin.drain()

    async def receive(self) -> dict[str, Any] | None:
        """The next message that is no update; None at the end."""
        while (line := await self._line()) is not None:
            message = _message(line)
            if message is None:
                self._pass_over(line)
                if self._in_a_row > MAX_NONSENSE:
                    self.broken = "wrote what is no message of the Agent Client Protocol"
                    return None
                continue
            self._in_a_row = 0
            if message.get("method") != UPDATE or "id" in message:
                return self._counted(message)
            await self._update(message.get("params") or {})
            self._updates += 1
            if self._updates % YIELD_EVERY == 0:
                await asyncio.sleep(0)
        return None

    async def close(self) -> None:
        """Nothing more is written."""
        self._stdin.close()

    def _counted(self, message: dict[str, Any]) -> dict[str, Any] | None:
        """The message, or the end where the agent asks without waiting for answers."""
        if "method" in message and "id" in message:
            self._asked += 1
            if self._asked > MAX_ASKED:
                self.broken = "asked for more and more without waiting for an answer"
                return None
        return message

    async def _line(self) -> bytes | None:
        start = 0
        while (end := self._buffer.find(b"\n", start)) < 0:
            start = len(self._buffer)
            if start > MAX_LINE_BYTES:
                self._too_long, start = True, 0
                self._buffer.clear()
            read = await self._stdout.read(READ_AT_ONCE)
            if not read:
                return None
            self._buffer += read
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        if self._too_long:
            self._too_long = False
            return b"(a line that is too long)"
        return line

    def _pass_over(self, line: bytes) -> None:
        text = line[: SHOWN_CHARACTERS * 4].decode(errors="replace").strip()
        if text:
            self._in_a_row += 1
            self.nonsense.append(text[:SHOWN_CHARACTERS])


def _message(line: bytes) -> dict[str, Any] | None:
    try:
        # Not strict about surrogates: half a character is for whoever stores it to replace.
        message = json.loads(line.decode(errors="replace"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(message, dict) or not isinstance(message.get("params", {}), dict | type(None)):
        return None
    return message if "method" in message or "id" in message else None
