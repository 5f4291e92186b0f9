"""What is one open socket, and what happens to each message on it?

The receive loop only sorts: ordered work goes to one lane, so that effects appear in the order received; slow
requests run beside it as tasks; `ping` is answered at once. The lane submits dispatched actions without waiting for
their commits, and whatever reads waits for the commits submitted before it. Source: PROTOCOL.md section 1.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Mapping
from typing import Any

from django.conf import settings

from ahp_platform.connection.edge import Edge
from ahp_platform.connection.outbox import Outbox, Send
from ahp_platform.connection.rate import Allowance
from ahp_platform.eventlog.batch import Outcome
from ahp_platform.eventlog.log import TenantLog
from ahp_platform.eventlog.view import NeedsChannel, Readers
from ahp_platform.protocol import envelope as envelopes
from ahp_platform.protocol import jsonrpc, versions
from ahp_platform.protocol.errors import InvalidRequest, NotFound, ProtocolError
from ahp_platform.protocol.methods import CLIENT_NOTIFICATIONS, check_params
from ahp_platform.rpc import dispatcher, turn_pages, wire
from ahp_platform.rpc.context import Client, Context, Principal, Subscription
from ahp_platform.rpc.dispatch import dispatch, prepare, reject
from ahp_platform.rpc.peer import peers
from ahp_platform.rpc.table import Handler, Params, Service

logger = logging.getLogger(__name__)

# A client that sends faster than its work gets done is read no further until it has.
LANE_LENGTH = 1_000
MAX_BESIDE = 32

TOO_FAST_CLOSE = 1008


class Socket:
    """One connection of a principal to its tenant's log. Implements `rpc.context.Connection` and `edge.Surroundings`."""

    def __init__(self, service: Service, log: TenantLog, principal: Principal, send: Send) -> None:
        self.id = uuid.uuid4().hex
        self.client = Client()
        self.principal = principal
        self._service, self._log = service, log
        self.edge = Edge(self.client, self)
        self.outbox = Outbox(send, self.edge, settings.AHP_OUTBOX_BYTES)
        self._lane: asyncio.Queue[jsonrpc.Request | jsonrpc.Notification] = asyncio.Queue(LANE_LENGTH)
        # Whether the lane waits for a message.
        self._at_rest = False
        self._allowance = Allowance(settings.AHP_MESSAGES_PER_SECOND)
        self._shut = False
        self._beside: set[asyncio.Task[None]] = set()
        self._room = asyncio.Semaphore(MAX_BESIDE)
        self._last_write: asyncio.Future[Outcome] | None = None

    # ---- rpc.context.Connection

    @property
    def subscriptions(self) -> Mapping[str, Subscription]:
        """The channels that are followed."""
        return self.edge.subscriptions

    def subscribe(self, uri: str, subscription: Subscription) -> None:
        """Follow a channel from `from_seq` on."""
        self.edge.subscribe(uri, subscription)
        self._log.register(uri, self.outbox)

    def unsubscribe(self, uri: str) -> None:
        """Stop following a channel."""
        self.edge.unsubscribe(uri)
        self._log.unregister(uri, self.outbox)

    def put(self, frame: jsonrpc.Frame) -> None:
        """Send a frame to this connection alone."""
        self.outbox.put(frame)

    def close(self, code: int, reason: str) -> None:
        """Close after what is on its way."""
        self.outbox.close(code, reason)

    def shut(self, code: int, reason: str) -> None:
        """Close, and take nothing more: a client that does not read would keep the socket open for a while."""
        self._shut = True
        self.close(code, reason)

    # ---- connection.edge.Surroundings

    def may_read(self, readers: Readers) -> bool:
        """Whether the principal is one of these readers."""
        return self._service.policy.may_read(self.principal, readers)

    def ended(self, uri: str) -> None:
        """A subscription is over: the channel is closed, or no longer to be seen."""
        self.unsubscribe(uri)

    def belongs(self, uri: str, session: str) -> bool:
        """Whether a channel is a session or belongs to it; yes where we do not know, for it may be."""
        return self._log.belongs(uri, session)

    def older_turns(self, uri: str, action: Mapping[str, Any], seq: int) -> str | None:
        """The frame that loads the turns through the one that an action names; it takes no number of its own."""
        try:
            loaded = turn_pages.through(self._log.peek(uri).state, action["turnId"])
        except (NeedsChannel, NotFound):
            return None
        known = versions.action(self.client.version, loaded)
        return None if known is None else envelopes.action_frame(wire.own_envelope(uri, known, seq, None))

    @property
    def context(self) -> Context:
        """The context of a message that arrives now."""
        return Context(self, self.principal, self._log)

    # ---- messages

    async def take(self, frame: str | bytes) -> None:
        """One frame from the client."""
        if self._shut:
            return
        if not self._allowance.spend():
            self.put(jsonrpc.error_text(None, InvalidRequest("Too many messages; slow down")))
            self.close(TOO_FAST_CLOSE, "too many messages")
            return
        try:
            message = jsonrpc.parse(frame)
        except ProtocolError as error:
            self.put(jsonrpc.error_text(getattr(error, "request_id", None), error))
            return
        too_much = self._service.count(self.principal)
        if isinstance(message, jsonrpc.Response):
            peers.answered(self, message)
        elif isinstance(message, jsonrpc.Request) and message.method == "ping":
            self.put(jsonrpc.result_text(message.id, None))
        elif too_much is not None and self._given_back(message, too_much):
            return
        elif not (self._at_rest and self._lane.empty() and self._dispatched(message)):
            await self._lane.put(message)

    def _given_back(self, message: jsonrpc.Request | jsonrpc.Notification, too_much: ProtocolError) -> bool:
        """Answer a request or an action that is one too many with why; other notifications only let go of something."""
        if isinstance(message, jsonrpc.Request):
            self.put(jsonrpc.error_text(message.id, too_much))
            return True
        if message.method != "dispatchAction":
            return False
        params = _params(message)
        if params is not None and self.client.client_id:
            reject(self.context, params, str(too_much))
        return True

    def _dispatched(self, message: jsonrpc.Request | jsonrpc.Notification) -> bool:
        """Submit an action that needs nothing looked up first; while the lane is at rest, nothing can be before it."""
        if message.method != "dispatchAction" or isinstance(message, jsonrpc.Request) or not self.client.client_id:
            return False
        params = _params(message)
        if params is None:
            return True
        if str(params["action"].get("type", "")) in self._service.preparations:
            return False
        self._last_write = dispatch(self._service, self.context, params)
        return True

    async def work(self) -> None:
        """The lane: one message after another, until cancelled."""
        while True:
            self._at_rest = True
            message = await self._lane.get()
            self._at_rest = False
            if self._shut:
                continue
            if isinstance(message, jsonrpc.Request):
                await self._request(message)
            elif self.client.client_id:
                await self._notification(message)

    async def _request(self, request: jsonrpc.Request) -> None:
        try:
            handler = dispatcher.find(self._service, self.context, request)
        except ProtocolError as error:
            self.put(jsonrpc.error_text(request.id, error))
            return
        await self._writes_are_done()
        if handler.ordered:
            await self._serve(handler, request)
            return
        await self._room.acquire()
        task = asyncio.create_task(self._serve(handler, request))
        self._beside.add(task)
        task.add_done_callback(self._leave)

    def _leave(self, task: asyncio.Task[None]) -> None:
        self._beside.discard(task)
        self._room.release()

    async def _serve(self, handler: Handler, request: jsonrpc.Request) -> None:
        self.put(await dispatcher.reply(self._service, self.context, handler, request))

    async def _notification(self, message: jsonrpc.Notification) -> None:
        params = _params(message)
        if params is None:
            return
        if message.method == "dispatchAction":
            await prepare(self._service, self.context, params)
            self._last_write = dispatch(self._service, self.context, params)
        elif message.method in self._service.methods:
            await self._writes_are_done()
            try:
                await self._service.methods[message.method].call(self.context, params)
            except Exception:
                logger.exception("%s failed", message.method)

    async def _writes_are_done(self) -> None:
        if self._last_write is not None and not self._last_write.done():
            await asyncio.wait([self._last_write])

    def leave(self) -> None:
        """The socket is gone: let go of everything."""
        for task in self._beside:
            task.cancel()
        for uri in tuple(self.subscriptions):
            self.unsubscribe(uri)


def _params(message: jsonrpc.Notification) -> Params | None:
    """Its checked params. None: it is unknown or wrong, and never gets a reply, whatever is wrong with it."""
    spec = CLIENT_NOTIFICATIONS.get(message.method)
    try:
        return check_params(spec, message.params) if spec else None
    except ProtocolError:
        return None
