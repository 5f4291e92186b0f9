"""How fast could this be at all? A bare ASGI application that sends the bytes we send, and does nothing else.

The first message of a socket is its greeting; messages with an `id` ask for something, all others go to every socket:

    {"id": N}                     is answered with itself
    {"id": N, "bytes": B}         gets a reply of B bytes, made once
    {"id": N, "state": "PATH"}    gets the JSON state in that file, held decoded and encoded for each reply
"""

from __future__ import annotations

import socket
import sys
from collections.abc import Awaitable, Callable
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import uvicorn

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]

REPLY_HEAD = 48

_everyone: set[Send] = set()


async def application(scope: Message, receive: Receive, send: Send) -> None:
    """Serve one socket, or the server's own start and stop."""
    if scope["type"] == "lifespan":
        await lifespan(receive, send)
    elif scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        _everyone.add(send)
        try:
            await _serve(receive, send)
        finally:
            _everyone.discard(send)


async def _serve(receive: Receive, send: Send) -> None:
    while (message := await receive())["type"] == "websocket.receive":
        text: str = message["text"]
        if '"id":' in text[:REPLY_HEAD]:
            await send({"type": "websocket.send", "text": _reply(text)})
        else:
            frame = {"type": "websocket.send", "text": text}
            for each in tuple(_everyone):
                await each(frame)


def _reply(text: str) -> str:
    asked = msgspec.json.decode(text)
    if "bytes" in asked:
        return _padding(asked["bytes"])
    if "state" in asked:
        return '{"id":0,"result":' + msgspec.json.encode(_state(asked["state"])).decode() + "}"
    return text


@cache
def _padding(size: int) -> str:
    return '{"id":0,"result":"' + "x" * (size - 20) + '"}'


@cache
def _state(path: str) -> Any:
    return msgspec.json.decode(Path(path).read_bytes())


async def lifespan(receive: Receive, send: Send) -> None:
    """The server's own start and stop."""
    while True:
        kind = (await receive())["type"]
        await send({"type": f"{kind}.complete"})
        if kind == "lifespan.shutdown":
            return


def serve(app: Application, port: int) -> None:
    """Serve with the settings that our own web processes use (`ahp_platform.supervise.web`)."""
    listener = socket.create_server(("127.0.0.1", port), backlog=2048)
    config = uvicorn.Config(
        app,
        loop="uvloop",
        ws="websockets-sansio",
        ws_per_message_deflate=False,
        ws_ping_interval=None,
        access_log=False,
        log_config=None,
    )
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    serve(application, int(sys.argv[1]))
