"""How do we ask a client something, whichever process holds its socket?

A request travels to the process that has a connection of that client id; the answer travels back to the one that
asked. Ids of ours and of the client are separate spaces. Source: PROTOCOL.md section 1, DESIGN.md section 4.
"""

from __future__ import annotations

import asyncio
import itertools
import uuid
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any

from ahp_platform.fanout import groups
from ahp_platform.fanout.hub import Message, hub
from ahp_platform.protocol import jsonrpc
from ahp_platform.protocol.errors import (
    AlreadyExists,
    Conflict,
    ContentNotFound,
    InternalError,
    MethodNotFound,
    NotFound,
    PermissionDenied,
    ProtocolError,
)
from ahp_platform.rpc.context import Connection

Answer = Mapping[str, Any]
ASK_TIMEOUT_S = 30.0
# In this time the process that holds the client must have said that it does.
REACH_TIMEOUT_S = 2.0

# What a client may answer with, and what it is to whoever asked us.
ERRORS: Mapping[int, type[ProtocolError]] = {
    **{kind.code: kind for kind in (NotFound, ContentNotFound, PermissionDenied, AlreadyExists, Conflict)},
    MethodNotFound.code: NotFound,
}


class Peers:
    """The clients that this process holds sockets of, and the questions that are open."""

    def __init__(self) -> None:
        self._connections: defaultdict[tuple[int, str], list[Connection]] = defaultdict(list)
        self._asked: dict[str, asyncio.Future[Answer]] = {}
        self._reached: dict[str, asyncio.Event] = {}
        self._sent: dict[tuple[str, int], Callable[[Answer], None]] = {}
        self._ids = itertools.count(1)

    def listen(self) -> None:
        """Take part in what the processes tell each other."""
        hub.on("peer.frame", self._forward)
        hub.on("peer.ask", self._forward_question)
        hub.on("peer.reached", self._take_reached)
        hub.on("peer.answer", self._take_answer)

    def add(self, tenant_id: int, connection: Connection) -> None:
        """A connection has introduced itself."""
        self._connections[tenant_id, connection.client.client_id].append(connection)

    def remove(self, tenant_id: int, connection: Connection) -> None:
        """A connection is gone; what it was asked fails."""
        key = (tenant_id, connection.client.client_id)
        held = self._connections.get(key, [])
        if connection in held:
            held.remove(connection)
        if not held:
            self._connections.pop(key, None)
        for sent in [s for s in self._sent if s[0] == connection.id]:
            self._sent.pop(sent)({"error": {"code": NotFound.code, "message": "The client is gone"}})

    def tell(self, tenant_id: int, client_id: str, method: str, params: Mapping[str, Any]) -> None:
        """Send a notification to every socket of one client, in all processes; lost where there is none."""
        message = {"tenant": tenant_id, "client": client_id, "frame": jsonrpc.notification_text(method, params)}
        hub.publish(groups.of_tenant(tenant_id), {"type": "peer.frame", **message})

    async def ask(self, tenant_id: int, client_id: str, method: str, params: Mapping[str, Any]) -> Any:
        """Ask a client and return its result; raises what it answers, or `NotFound` where nobody answers in time."""
        ask_id = uuid.uuid4().hex
        future = self._asked[ask_id] = asyncio.get_running_loop().create_future()
        reached = self._reached[ask_id] = asyncio.Event()
        question = {"tenant": tenant_id, "client": client_id, "method": method, "params": dict(params)}
        reply_to = {"ask": ask_id, "reply_to": hub.channel_name}
        hub.publish(groups.of_tenant(tenant_id), {"type": "peer.ask", **question, **reply_to})
        try:
            await asyncio.wait_for(reached.wait(), REACH_TIMEOUT_S)
            answer = await asyncio.wait_for(future, ASK_TIMEOUT_S)
        except TimeoutError:
            raise NotFound("The client did not answer") from None
        finally:
            del self._asked[ask_id], self._reached[ask_id]
        if "error" in answer:
            raise _as_error(answer["error"])
        return answer.get("result")

    def answered(self, connection: Connection, response: jsonrpc.Response) -> None:
        """A client has answered; answers to questions that we did not ask are ignored."""
        taken = self._sent.pop((connection.id, response.id), None) if isinstance(response.id, int) else None
        if taken is not None:
            taken({"error": response.error} if response.error is not None else {"result": response.result})

    def _forward(self, message: Message) -> None:
        for connection in self._connections.get((message["tenant"], message["client"]), ()):
            connection.put(message["frame"])

    def _forward_question(self, message: Message) -> None:
        held = self._connections.get((message["tenant"], message["client"]))
        if not held:
            return
        connection, number = held[-1], next(self._ids)

        def answer(answer: Answer) -> None:
            hub.send(message["reply_to"], {"type": "peer.answer", "ask": message["ask"], "answer": answer})

        hub.send(message["reply_to"], {"type": "peer.reached", "ask": message["ask"]})
        self._sent[connection.id, number] = answer
        connection.put(jsonrpc.request_text(number, message["method"], message["params"]))

    def _take_reached(self, message: Message) -> None:
        reached = self._reached.get(message["ask"])
        if reached is not None:
            reached.set()

    def _take_answer(self, message: Message) -> None:
        future = self._asked.get(message["ask"])
        if future is not None and not future.done():
            future.set_result(message["answer"])


def _as_error(error: Any) -> ProtocolError:
    fields = error if isinstance(error, Mapping) else {}
    code, said = fields.get("code"), f"The client answered with an error: {str(fields.get('message', ''))[:200]}"
    kind = ERRORS.get(code) if isinstance(code, int) else None
    return kind(said, fields.get("data")) if kind else InternalError(said)


peers = Peers()
