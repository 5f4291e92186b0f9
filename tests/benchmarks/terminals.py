"""What do the rows about terminals use? One terminal of ours as its only client sees it, on a socket of its own."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ahp_platform.protocol import jsonrpc
from ahp_platform.workspaces import paths
from tests.benchmarks import messages
from tests.benchmarks.benchmark import Spoiled
from tests.benchmarks.plain_socket import PlainSocket
from tests.benchmarks.seed import Tenant

CLIENT = "bench-terminal"

# How an action of the kind stands in its frame.
DATA, EXITED = b'"action":{"type":"terminal/data"', b'"action":{"type":"terminal/exited"'


class OurTerminal:
    """A shell of ours, which this client holds and follows."""

    def __init__(self, socket: PlainSocket, uri: str) -> None:
        self._socket, self._uri = socket, uri
        self._sent = 0

    def type(self, text: str) -> None:
        """Type it."""
        self._sent += 1
        action = {"type": "terminal/input", "data": text}
        self._socket.send(
            _notification("dispatchAction", {"channel": self._uri, "clientSeq": self._sent, "action": action})
        )

    def frames(self) -> Iterator[bytes]:
        """What comes, without end."""
        while (frame := self._socket.read()) is not None:
            yield frame
        raise Spoiled("the terminal's socket was closed")

    def await_output(self, text: bytes) -> None:
        """Wait until it has shown the text within one piece."""
        next(frame for frame in self.frames() if DATA in frame and text in frame)


@contextmanager
def opened(tenant: Tenant, port: int) -> Iterator[OurTerminal]:
    """A new terminal at our service, disposed of in the end."""
    uri, client = f"ahp-terminal:/{uuid.uuid4()}", f"{CLIENT}-{uuid.uuid4()}"
    with PlainSocket(port, f"/ahp/{tenant.slug}", messages.bearer(tenant)) as socket:
        ask(socket, "initialize", {"protocolVersions": ["0.7.0"], "clientId": client})
        ask(socket, "createTerminal", {"channel": uri, "claim": {"kind": "client", "clientId": client}})
        ask(socket, "subscribe", {"channel": uri})
        yield OurTerminal(socket, uri)
        ask(socket, "disposeTerminal", {"channel": uri})


def ask(socket: PlainSocket, method: str, params: Mapping[str, Any]) -> bytes:
    """Send a request and wait for its reply, which must be none of an error."""
    socket.send(messages.request(1, method, params))
    while (frame := socket.read()) is not None:
        head = frame[:60]
        if b'"id":1' in head and b'"method"' not in head:
            if b'"error"' in head:
                raise Spoiled(f"{method}: {frame[:300]!r}")
            return frame
    raise Spoiled(f"{method}: the socket was closed")


def workspace(tenant: Tenant) -> Path:
    """The tenant's directory, which is made where it is missing."""
    root = paths.root(tenant.slug)
    root.mkdir(parents=True, exist_ok=True)
    return root


def _notification(method: str, params: Mapping[str, Any]) -> str:
    return f'{{"jsonrpc":"2.0","method":"{method}","params":{jsonrpc.encode(params)}}}'
