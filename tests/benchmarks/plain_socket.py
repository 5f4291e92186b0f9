"""How do the rows about terminals talk to a server? A blocking WebSocket client with as little as possible in the way.

The load generator sends the same message again and again; a terminal is a conversation.
"""

from __future__ import annotations

import base64
import os
import socket
import struct
from types import TracebackType
from typing import Self

from tests.benchmarks.benchmark import Spoiled
from tests.benchmarks.servers import HOST

WAIT_S = 120.0
RECEIVE_AT_ONCE = 1024 * 1024

TEXT, CLOSE, PING, PONG = 1, 8, 9, 10


class PlainSocket:
    """One socket. Frames are not fragmented, in either direction; what we send is masked with nothing."""

    def __init__(self, port: int, path: str = "/", header: str = "") -> None:
        self._socket = socket.create_connection((HOST, port), timeout=WAIT_S)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._held = bytearray()
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [f"GET {path} HTTP/1.1", f"Host: {HOST}:{port}", "Upgrade: websocket", "Connection: Upgrade"]
        lines += [f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13", *([header] if header else []), "", ""]
        self._socket.sendall("\r\n".join(lines).encode())
        while (end := self._held.find(b"\r\n\r\n")) < 0:
            self._receive()
        if b" 101 " not in self._held[:20]:
            raise Spoiled(f"no WebSocket: {bytes(self._held[:200])!r}")
        del self._held[: end + 4]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._socket.close()

    def send(self, text: str) -> None:
        """Send one message."""
        self._send(TEXT, text.encode())

    def read(self) -> bytes | None:
        """The next message, None where the server has closed."""
        while True:
            code, payload = self._frame()
            if code == PING:
                self._send(PONG, payload)
            elif code == CLOSE:
                return None
            else:
                return payload

    def _send(self, code: int, payload: bytes) -> None:
        size = len(payload)
        length = bytes([0x80 | size]) if size < 126 else struct.pack("!BH", 0xFE, size)
        self._socket.sendall(bytes([0x80 | code]) + length + bytes(4) + payload)

    def _frame(self) -> tuple[int, bytes]:
        self._need(2)
        code, size, start = self._held[0] & 0x0F, self._held[1] & 0x7F, 2
        for marker, layout in ((126, "!H"), (127, "!Q")):
            if size == marker:
                start += struct.calcsize(layout)
                self._need(start)
                (size,) = struct.unpack_from(layout, self._held, 2)
                break
        self._need(start + size)
        payload = bytes(memoryview(self._held)[start : start + size])
        del self._held[: start + size]
        return code, payload

    def _need(self, size: int) -> None:
        while len(self._held) < size:
            self._receive()

    def _receive(self) -> None:
        received = self._socket.recv(RECEIVE_AT_ONCE)
        if not received:
            raise Spoiled("the server has gone")
        self._held += received
