"""How does a connection begin and end to follow channels?

Snapshot and stream join without a gap or an overlap because nothing is awaited between taking the state and
registering for what follows it. Source: PROTOCOL.md section 4.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.conf import settings

from ahp_platform.protocol import uris
from ahp_platform.protocol.errors import InvalidRequest, NotFound, ProtocolError, SessionNotFound
from ahp_platform.rpc.context import Context, Subscription
from ahp_platform.rpc.snapshots import snapshot
from ahp_platform.rpc.table import Params, Policy

# What has no state has no snapshot either.
STATELESS = frozenset({"mcp", "otlp"})


def missing(uri: str) -> ProtocolError:
    """The error for a channel that does not exist, or must seem not to: the same for both."""
    if uri.startswith("ahp-session:") and uris.session_of_annotations(uri) is None:
        return SessionNotFound("No such session")
    return NotFound("No such channel")


async def require_readable(context: Context, policy: Policy, uri: str, kind: str | None = None) -> None:
    """Wait until the log knows the channel and what its snapshot shows besides; raise as for a missing one where the
    principal may not read it.
    """
    try:
        channel = await context.log.channel(uri)
        if channel.kind == "session":
            await context.log.ensure(uris.annotations_of(uri))
        readers = await context.log.readers_of(uri)
    except NotFound:
        raise missing(uri) from None
    if not policy.may_read(context.principal, readers) or (kind is not None and channel.kind != kind):
        raise missing(uri)


async def readable(context: Context, policy: Policy, wanted: Iterable[str]) -> tuple[list[str], list[str]]:
    """The wanted channels, once each, that may be read, and the others."""
    there: list[str] = []
    gone: list[str] = []
    for uri in dict.fromkeys(wanted):
        try:
            await require_readable(context, policy, uri)
            there.append(uri)
        except ProtocolError:
            gone.append(uri)
    return there, gone


async def subscribe(context: Context, policy: Policy, params: Params) -> dict[str, Any]:
    """`subscribe`: the snapshot, and from then on everything above it."""
    uri = params["channel"]
    await require_readable(context, policy, uri)
    check_room(context, (uri,))
    latency = params.get("delivery", {}).get("maxLatencyMs", 0)
    turns = params.get("view", {}).get("turns")
    taken = begin(context, uri, max(0.0, float(latency)), turns)
    return {"snapshot": taken} if taken is not None else {}


def begin(context: Context, uri: str, max_latency_ms: float = 0.0, turns: int | None = None) -> dict[str, Any] | None:
    """Register for a channel that is readable and take its snapshot, if it has a state, in one step."""
    if context.log.peek(uri).kind in STATELESS:
        context.connection.subscribe(uri, Subscription(context.log.seq))
        return None
    taken = snapshot(context.log, uri, context.client.version, None if turns is None else max(0, int(turns)))
    context.connection.subscribe(uri, Subscription(context.log.seq, max_latency_ms, turns is not None))
    return taken


def check_room(context: Context, wanted: Iterable[str]) -> None:
    """Raise where the connection would hold more subscriptions than it may."""
    held = context.connection.subscriptions
    if len(held) + sum(uri not in held for uri in wanted) > settings.AHP_MAX_SUBSCRIPTIONS:
        raise InvalidRequest(f"A connection may hold at most {settings.AHP_MAX_SUBSCRIPTIONS} subscriptions")
