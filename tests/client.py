"""What does a client see? A bare AHP client on a real socket: raw frames, nothing repaired, every wait bounded and for an event."""

from __future__ import annotations

import asyncio
import itertools
import json
import uuid
from collections.abc import Callable, Mapping
from typing import Any, Self, TypeVar

from websockets.asyncio.client import ClientConnection
from websockets.asyncio.client import connect as open_socket
from websockets.exceptions import ConnectionClosed

ROOT = "ahp-root://"
VERSION = "0.7.0"
WAIT_S = 15.0

Message = dict[str, Any]
T = TypeVar("T")


class RpcError(Exception):
    """The host answered a request with an error."""

    def __init__(self, error: Message) -> None:
        super().__init__(f"{error['code']} {error['message']}")
        self.code: int = error["code"]
        self.data: Any = error.get("data")


class Client:
    """One socket. `frames` holds every message received, in order; `envelopes` the params of each `action` among them."""

    def __init__(self, socket: ClientConnection, client_id: str) -> None:
        self.client_id = client_id
        self.frames: list[Message] = []
        self.envelopes: list[Message] = []
        self.notifications: list[Message] = []
        # Once the socket is closed: the code and the reason.
        self.closed: tuple[int, str] | None = None
        # Answers the host's requests; a raised RpcError becomes the error.
        self.serve: Callable[[str, Message], Any] | None = None
        self._socket = socket
        self._ids = itertools.count(1)
        self._client_seqs = itertools.count(1)
        self._arrived = asyncio.Condition()
        self._reading = asyncio.create_task(self._read())

    @classmethod
    async def open(
        cls,
        url: str,
        token: str | None,
        client_id: str | None = None,
        headers: Mapping[str, str] | None = None,
        **options: Any,
    ) -> Self:
        """Open a socket; nothing is sent yet."""
        bearer = {"Authorization": f"Bearer {token}"} if token else {}
        sent = {**bearer, **(headers or {})}
        options = {"max_size": None, "open_timeout": WAIT_S, "compression": None, "proxy": None, **options}
        return cls(await open_socket(url, additional_headers=sent, **options), client_id or f"test-{uuid.uuid4()}")

    async def initialize(self, *subscriptions: str, **more: Any) -> Message:
        """The handshake; `more` replaces or adds params."""
        params = {"protocolVersions": [VERSION], "clientId": self.client_id, "initialSubscriptions": [*subscriptions]}
        result: Message = await self.request("initialize", {**params, **more})
        return result

    async def reconnect(self, last_seen: int, *subscriptions: str, **more: Any) -> Message:
        """The handshake of a client that was here before."""
        params = {"clientId": self.client_id, "lastSeenServerSeq": last_seen, "subscriptions": [*subscriptions]}
        result: Message = await self.request("reconnect", {**params, **more})
        return result

    async def subscribe(self, channel: str, **more: Any) -> Message:
        """The snapshot of a channel, which is live from then on."""
        snapshot: Message = (await self.request("subscribe", {"channel": channel, **more})).get("snapshot", {})
        return snapshot

    async def request(self, method: str, params: Message | None = None, within_s: float = WAIT_S) -> Any:
        """Ask and wait for the result, or raise the error."""
        return await self.reply(await self.start(method, params), within_s)

    async def refused(self, method: str, params: Message | None = None) -> RpcError:
        """Ask, and return the error that must come."""
        try:
            result = await self.request(method, params)
        except RpcError as error:
            return error
        raise AssertionError(f"{method} succeeded: {str(result)[:200]}")

    async def start(self, method: str, params: Message | None = None) -> int:
        """Ask without waiting; returns the request's id."""
        request_id = next(self._ids)
        await self.send({"id": request_id, "method": method, "params": {"channel": ROOT, **(params or {})}})
        return request_id

    async def reply(self, request_id: int, within_s: float = WAIT_S) -> Any:
        """The result of a request that was started."""

        def arrived() -> Message | None:
            answers = (frame for frame in self.frames if frame.get("id") == request_id and "method" not in frame)
            return next(answers, None)

        frame = await self.until(arrived, f"the reply to request {request_id}", within_s)
        if "error" in frame:
            raise RpcError(frame["error"])
        return frame.get("result")

    async def notify(self, method: str, params: Message) -> None:
        """Send a notification."""
        await self.send({"method": method, "params": params})

    async def dispatch(self, channel: str, action: Message, client_seq: int | None = None) -> int:
        """Send an action; returns its clientSeq."""
        number = next(self._client_seqs) if client_seq is None else client_seq
        await self.notify("dispatchAction", {"channel": channel, "clientSeq": number, "action": action})
        return number

    async def send(self, message: Message) -> None:
        """Send one JSON-RPC message."""
        await self.send_raw(json.dumps({"jsonrpc": "2.0", **message}))

    async def send_raw(self, frame: str | bytes) -> None:
        """Send a frame as it is."""
        await self._socket.send(frame)

    async def until(self, test: Callable[[], T | None], what: str, within_s: float = WAIT_S) -> T:
        """Wait until `test` finds something, looking after every frame."""

        async def look() -> T:
            async with self._arrived:
                while not (found := test()):
                    if self.closed:
                        raise AssertionError(f"closed {self.closed} while waiting for {what}")
                    await self._arrived.wait()
                return found

        try:
            return await asyncio.wait_for(look(), within_s)
        except TimeoutError:
            seen = [f"{one['action'].get('type')} @{one.get('serverSeq')}" for one in self.envelopes[-8:]]
            raise AssertionError(f"no {what} within {within_s:.0f} s; last actions: {seen}") from None

    async def action(self, channel: str, type_: str, since: int = 0, within_s: float = WAIT_S, **match: Any) -> Message:
        """The first accepted envelope from index `since` on, of that channel and type, whose action has these values."""

        def fits(envelope: Message) -> bool:
            action = envelope["action"]
            accepted = envelope["channel"] == channel and "rejectionReason" not in envelope
            return (
                accepted and action["type"] == type_ and all(action.get(key) == value for key, value in match.items())
            )

        return await self.until(
            lambda: next(filter(fits, self.envelopes[since:]), None), f"{type_} on {channel} {match}", within_s
        )

    async def echo(self, client_seq: int, within_s: float = WAIT_S) -> Message:
        """What the host made of a dispatched action: its envelope, with a `rejectionReason` if it was refused."""
        origin = {"clientId": self.client_id, "clientSeq": client_seq}
        ours = lambda one: one.get("origin") == origin  # noqa: E731  reads better beside its use
        return await self.until(
            lambda: next(filter(ours, self.envelopes), None), f"echo of clientSeq {client_seq}", within_s
        )

    async def notification(self, method: str, since: int = 0, within_s: float = WAIT_S, **match: Any) -> Message:
        """The params of the first such notification from index `since` on."""

        def fits(message: Message) -> bool:
            return message["method"] == method and all(message["params"].get(k) == v for k, v in match.items())

        found = await self.until(
            lambda: next(filter(fits, self.notifications[since:]), None), f"{method} {match}", within_s
        )
        params: Message = found["params"]
        return params

    async def fence(self) -> None:
        """Everything that was sent before has been handled."""
        await self.request("ping")

    async def until_closed(self, within_s: float = WAIT_S) -> tuple[int, str]:
        """Wait for the host to close; the code and the reason."""
        await asyncio.wait_for(asyncio.shield(self._reading), within_s)
        assert self.closed is not None
        return self.closed

    async def close(self) -> None:
        """Close with a handshake."""
        await self._socket.close()
        await self._reading

    def cut(self) -> None:
        """Break the connection without a word, as a lost network does."""
        self._socket.transport.abort()

    async def _read(self) -> None:
        try:
            async for frame in self._socket:
                await self._take(json.loads(frame))
        except ConnectionClosed:
            pass
        finally:
            self.closed = (self._socket.close_code or 1006, self._socket.close_reason or "")
            async with self._arrived:
                self._arrived.notify_all()

    async def _take(self, message: Message) -> None:
        self.frames.append(message)
        if "method" in message and "id" in message:
            await self._answer(message)
        elif message.get("method") == "action":
            self.envelopes.append(message["params"])
        elif "method" in message:
            self.notifications.append(message)
        async with self._arrived:
            self._arrived.notify_all()

    async def _answer(self, request: Message) -> None:
        reply: Message = {"id": request["id"]}
        try:
            if self.serve is None:
                raise RpcError({"code": -32601, "message": "not served"})
            reply["result"] = self.serve(request["method"], request.get("params", {}))
        except RpcError as error:
            reply["error"] = {"code": error.code, "message": str(error)}
        await self.send(reply)
