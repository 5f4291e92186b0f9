"""How does a program that we have started become the two streams of an MCP connection?

One JSON-RPC message a line. A line has a bound, so that a program that floods costs a constant; what it writes on its standard error is
drained, and its end is kept for the message that people read when it fails.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import mcp_types
from mcp.client._transport import TransportStreams
from mcp.shared.message import SessionMessage

CHUNK_BYTES = 64 * 1024
MAX_LINE_BYTES = 8 * 1024 * 1024
KEPT_CHARACTERS = 600


class Pipes:
    """The pipes of one program, which somebody else has started and will end."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.ended = asyncio.Event()
        self._said = ""

    @property
    def last_words(self) -> str:
        """The end of what it wrote on its standard error."""
        return self._said.strip()

    @asynccontextmanager
    async def streams(self) -> AsyncIterator[TransportStreams]:
        """What a session reads and writes; `ended` is set when the program has closed its side."""
        inward, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        write, outward = anyio.create_memory_object_stream[SessionMessage](0)
        async with inward, read, write, outward, anyio.create_task_group() as tasks:
            tasks.start_soon(self._read, inward)
            tasks.start_soon(self._write, outward)
            tasks.start_soon(self._drain)
            try:
                yield read, write
            finally:
                tasks.cancel_scope.cancel()

    async def drain(self) -> None:
        """Read what is left until the program has gone: one that is full of words is not seen to end."""
        assert self._process.stdout is not None
        while await self._process.stdout.read(CHUNK_BYTES):
            pass

    async def _read(self, inward: anyio.abc.ObjectSendStream[SessionMessage | Exception]) -> None:
        assert self._process.stdout is not None
        rest = b""
        try:
            async with inward:
                while chunk := await self._process.stdout.read(CHUNK_BYTES):
                    *lines, rest = (rest + chunk).split(b"\n")
                    for line in filter(None, map(bytes.strip, lines)):
                        await inward.send(_message(line))
                    if len(rest) > MAX_LINE_BYTES:
                        return
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            return
        finally:
            self.ended.set()

    async def _write(self, outward: anyio.abc.ObjectReceiveStream[SessionMessage]) -> None:
        assert self._process.stdin is not None
        try:
            async for item in outward:
                text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
                self._process.stdin.write(text.encode(errors="replace") + b"\n")
                await self._process.stdin.drain()
        except OSError:
            self.ended.set()

    async def _drain(self) -> None:
        if self._process.stderr is None:
            return
        while chunk := await self._process.stderr.read(CHUNK_BYTES):
            self._said = (self._said + chunk.decode(errors="replace"))[-KEPT_CHARACTERS:]


def _message(line: bytes) -> SessionMessage | Exception:
    try:
        return SessionMessage(mcp_types.jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError as error:
        return error
