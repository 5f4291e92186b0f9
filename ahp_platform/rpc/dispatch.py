"""How does a client's action become part of the log, or come back refused?

The checks run inside the plan, against the very states that the action is applied to. Source: PROTOCOL.md section 5.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from ahp_platform.eventlog.batch import Outcome
from ahp_platform.eventlog.view import Refused, View
from ahp_platform.protocol import envelope as envelopes
from ahp_platform.protocol import versions
from ahp_platform.protocol.channel import check_action, refuse
from ahp_platform.protocol.errors import InvalidParams, ProtocolError
from ahp_platform.rpc import wire
from ahp_platform.rpc.context import Context
from ahp_platform.rpc.table import Params, Service

logger = logging.getLogger(__name__)

RETRY_LATER_CLOSE = 1013
REPEATED = "This action was applied before"


class NoSuchChannel(Refused):
    """The action is ignored without a word: one may not learn from it whether the channel exists."""


def dispatch(service: Service, context: Context, params: Params) -> asyncio.Future[Outcome]:
    """Submit the action; what its sender alone must hear is sent when the future is done."""
    uri, client_seq = params["channel"], int(params["clientSeq"])
    action = versions.incoming_action(context.client.version, params["action"], context.log.now_ms())
    plan = _Plan(service, context, uri, action)
    future = context.log.submit(plan, context.origin(client_seq), context.principal.user_id)
    future.add_done_callback(lambda done: _answer(context, uri, params["action"], client_seq, done))
    return future


def reject(context: Context, params: Params, reason: str) -> None:
    """Give the action back to its sender before anything has looked at it: says nothing of whether the channel exists."""
    origin = context.origin(int(params["clientSeq"]))
    text = wire.own_envelope(params["channel"], params["action"], context.log.seq, origin, reason)
    context.connection.put(envelopes.action_frame(text))


async def prepare(service: Service, context: Context, params: Params) -> None:
    """Have at hand what the action's plan will ask for."""
    preparation = service.preparations.get(str(params["action"].get("type", "")))
    if preparation is not None:
        await preparation(context, params["channel"], params["action"])


class _Plan:
    """Check the action against everything that may refuse it, then apply it."""

    def __init__(self, service: Service, context: Context, uri: str, action: dict[str, Any]) -> None:
        self._service, self._context, self._uri, self._action = service, context, uri, action

    def __call__(self, view: View) -> None:
        channel = view.find(self._uri)
        policy, principal = self._service.policy, self._context.principal
        if channel is None or not policy.may_read(principal, view.readers(self._uri)):
            raise NoSuchChannel
        kind = str(self._action.get("type", ""))
        try:
            check_action(self._action)
        except InvalidParams as error:
            raise Refused(str(error)) from None
        reason = refuse(channel.kind, channel.state, self._action, self._context.client.client_id)
        reason = policy.refuse_action(principal, kind) or reason
        if reason is not None:
            raise Refused(reason)
        intake = self._service.intakes.get(kind)
        action = intake(view, self._uri, self._action, self._context) if intake else self._action
        view.act(self._uri, action)


def _answer(context: Context, uri: str, action: dict[str, Any], client_seq: int, done: asyncio.Future[Outcome]) -> None:
    origin = context.origin(client_seq)
    if done.cancelled():
        return
    error = done.exception()
    if error is None:
        status = done.result().status
        if status == "applied" or uri not in context.connection.subscriptions:
            return
        # A repetition must not be reduced a second time: the client drops it, the first one is in its states.
        reason = REPEATED if status == "duplicate" else None
        text = wire.own_envelope(uri, action, context.log.seq, origin, reason)
    elif isinstance(error, NoSuchChannel):
        return
    elif isinstance(error, (Refused, ProtocolError)):
        text = wire.own_envelope(uri, action, context.log.seq, origin, str(error))
    else:
        # Not judged at all. The client keeps what it sent and sends it again on its next connection.
        logger.error("an action could not be committed", exc_info=error)
        context.connection.close(RETRY_LATER_CLOSE, "try again later")
        return
    context.connection.put(envelopes.action_frame(text))
