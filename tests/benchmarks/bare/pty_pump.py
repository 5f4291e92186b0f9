"""How fast could a terminal be at all? A bare ASGI application with a pty per socket, and nothing in between.

The first message of a socket is the program to run, as a JSON list; all others are typed. What the program writes is sent as it comes,
gathered while the socket is busy; the socket is closed when it ends.
"""

from __future__ import annotations

import asyncio
import codecs
import os
import pty
import sys
from contextlib import suppress

import msgspec

from tests.benchmarks.bare.app import Message, Receive, Send, lifespan, serve

READ_AT_ONCE = 64 * 1024
MAX_UNSENT = 256 * 1024


async def application(scope: Message, receive: Receive, send: Send) -> None:
    """Serve one socket, or the server's own start and stop."""
    if scope["type"] == "lifespan":
        await lifespan(receive, send)
    elif scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        await _run(msgspec.json.decode((await receive())["text"], type=list[str]), receive, send)


async def _run(argv: list[str], receive: Receive, send: Send) -> None:
    ours, theirs = pty.openpty()
    os.set_blocking(ours, False)
    program = await asyncio.create_subprocess_exec(
        "setsid", "--ctty", *argv, stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    pumping = asyncio.create_task(_pump(ours, send))
    typing = asyncio.create_task(_type(ours, receive))
    await asyncio.wait((pumping, typing), return_when=asyncio.FIRST_COMPLETED)
    for task in (pumping, typing):
        task.cancel()
    with suppress(ProcessLookupError):
        program.kill()
    await program.wait()
    asyncio.get_running_loop().remove_reader(ours)
    os.close(ours)


async def _pump(fd: int, send: Send) -> None:
    loop, output, arrived = asyncio.get_running_loop(), bytearray(), asyncio.Event()
    text = codecs.getincrementaldecoder("utf-8")("replace")
    is_over = False

    def readable() -> None:
        nonlocal is_over
        try:
            output.extend(os.read(fd, READ_AT_ONCE))
        except OSError:
            is_over = True
        if is_over or len(output) >= MAX_UNSENT:
            loop.remove_reader(fd)
        arrived.set()

    while not is_over or output:
        arrived.clear()
        if not is_over:
            loop.add_reader(fd, readable)
        await arrived.wait()
        taken = bytes(output)
        output.clear()
        await send({"type": "websocket.send", "text": text.decode(taken)})
    await send({"type": "websocket.close", "code": 1000})


async def _type(fd: int, receive: Receive) -> None:
    while (message := await receive())["type"] == "websocket.receive":
        os.write(fd, message["text"].encode())


if __name__ == "__main__":
    serve(application, int(sys.argv[1]))
