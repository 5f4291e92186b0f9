"""How does an ASGI WebSocket become a connection of the host?

A Channels consumer with a receive loop of its own: the stock one awaits one handler at a time, which would let a slow
request hold up a ping (DESIGN.md section 4).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from channels.consumer import AsyncConsumer
from django.db import OperationalError as OrmOperationalError
from psycopg import OperationalError

from ahp_platform.connection.outbox import SLOW_READER_CLOSE, Close, Send
from ahp_platform.connection.registry import sockets
from ahp_platform.connection.socket import Socket
from ahp_platform.eventlog.logs import logs
from ahp_platform.rpc.table import Service
from auth_app.bearer import HandshakeRefused, accepted_subprotocol, authenticate_socket, bearer_challenge

logger = logging.getLogger(__name__)

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]

TRY_LATER_CLOSE = 1013


class AhpConsumer(AsyncConsumer):  # type: ignore[misc]
    """One socket at `/ahp/<tenant>`; the service comes from the wiring."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Authenticate, accept, serve until either side is done."""
        message = await receive()
        if message["type"] != "websocket.connect":
            return
        try:
            principal = await authenticate_socket(scope)
            log = await logs.open(principal.tenant_id)
        except HandshakeRefused as refusal:
            await _deny(scope, send, refusal.status)
            return
        except (OperationalError, OrmOperationalError):
            await send({"type": "websocket.accept"})
            await send({"type": "websocket.close", "code": TRY_LATER_CLOSE, "reason": "try again later"})
            return
        await send({"type": "websocket.accept", "subprotocol": accepted_subprotocol(scope)})
        socket = Socket(self._service, log, principal, send)
        sockets.add(socket)
        try:
            await _serve(socket, receive, send)
        finally:
            await sockets.remove(socket)


async def _serve(socket: Socket, receive: Receive, send: Send) -> None:
    reading = asyncio.create_task(_read(socket, receive))
    tasks = [
        reading,
        asyncio.create_task(socket.work()),
        asyncio.create_task(socket.outbox.run()),
        asyncio.create_task(socket.outbox.overflowed.wait()),
    ]
    _, _, writing, overflowing = tasks
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        if overflowing.done():
            writing.cancel()
            await _close(send, SLOW_READER_CLOSE, "reading too slowly")
        elif writing.done() and isinstance(error := writing.exception(), Close):
            await _close(send, error.code, error.reason)
    finally:
        for task in tasks:
            task.cancel()
        for result in await asyncio.gather(*tasks, return_exceptions=True):
            if isinstance(result, Exception) and not isinstance(result, (Close, OSError)):
                logger.error("a connection ended with an error", exc_info=result)


async def _read(socket: Socket, receive: Receive) -> None:
    while True:
        message = await receive()
        if message["type"] == "websocket.disconnect":
            return
        if message["type"] == "websocket.receive":
            text = message.get("text")
            await socket.take(text if text is not None else message["bytes"])


async def _close(send: Send, code: int, reason: str) -> None:
    # A peer that does not read does not take a close frame either: it gets a moment, then the connection is dropped.
    try:
        await asyncio.wait_for(send({"type": "websocket.close", "code": code, "reason": reason}), 1.0)
    except TimeoutError:
        logger.info("a slow reader did not take its close frame")


async def _deny(scope: Message, send: Send, status: int) -> None:
    if "websocket.http.response" in scope.get("extensions", {}):
        challenge = bearer_challenge(scope).encode()
        headers = [(b"content-type", b"text/plain"), (b"www-authenticate", challenge)]
        await send({"type": "websocket.http.response.start", "status": status, "headers": headers})
        await send({"type": "websocket.http.response.body", "body": b"no access\n"})
    else:
        await send({"type": "websocket.close", "code": 4000 + status})
