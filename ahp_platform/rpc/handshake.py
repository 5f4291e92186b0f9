"""How does a connection introduce itself, for the first time or again?

Source: PROTOCOL.md sections 2, 3 and 16.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from ahp_platform.protocol import versions
from ahp_platform.protocol.errors import InvalidParams, UnsupportedProtocolVersion
from ahp_platform.rpc.context import Client, Context, Principal, Subscription
from ahp_platform.rpc.peer import peers
from ahp_platform.rpc.replays import replay
from ahp_platform.rpc.subscriptions import begin, check_room, readable
from ahp_platform.rpc.table import Params, Policy

MAX_CLIENT_ID = 256
UNSUPPORTED_VERSION_CLOSE = 4406
# A message that begins with it is a shell command, whatever the agent.
TERMINAL_COMMAND_PREFIX = "!"


@dataclass(frozen=True, slots=True)
class Introduction:
    """What a handshake needs of the apps.

    `bind` binds a client id to its user, with the version it negotiated (None when it reconnects) and its locale, and returns the
    number of its life and that version; `met` is told
    of each connection that introduces itself, with its client id and the channels it holds; `directory` is the
    tenant's default directory URI.
    """

    policy: Policy
    bind: Callable[[Principal, str, str | None, str], Awaitable[tuple[int, str]]]
    met: Callable[[Context, str, Sequence[str]], Awaitable[None]]
    directory: Callable[[str], str]


async def initialize(context: Context, intro: Introduction, params: Params) -> dict[str, Any]:
    """`initialize`: negotiate the version, bind the client id, subscribe to what it asks for."""
    try:
        chosen = versions.negotiate(params["protocolVersions"])
    except UnsupportedProtocolVersion:
        # Soon, not now: the error that says which versions we have goes first.
        close = context.connection.close
        asyncio.get_running_loop().call_soon(close, UNSUPPORTED_VERSION_CLOSE, "no common protocol version")
        raise
    wanted = params.get("initialSubscriptions", [])
    client = await _introduce(context, intro, params["clientId"], wanted, chosen, params.get("locale", ""))
    client.locale = params.get("locale", "en")
    client.capabilities = params.get("capabilities", {})
    check_room(context, wanted)
    there, _ = await readable(context, intro.policy, wanted)
    _assume(context, client)
    snapshots = _begun(context, there)
    return {
        "protocolVersion": chosen,
        "serverSeq": context.log.seq,
        "serverInfo": {"name": "ahp-platform", "version": _our_version(), "title": "Agent Host Platform"},
        "snapshots": snapshots,
        "defaultDirectory": intro.directory(context.log.slug),
        "completionTriggerCharacters": ["@", "/"],
        "terminalCommandPrefix": TERMINAL_COMMAND_PREFIX,
    }


async def reconnect(context: Context, intro: Introduction, params: Params) -> dict[str, Any]:
    """`reconnect`: everything missed since `lastSeenServerSeq` where the log covers it, else snapshots."""
    wanted: list[str] = params["subscriptions"]
    client = await _introduce(context, intro, params["clientId"], wanted, None, "")
    check_room(context, wanted)
    there, gone = await readable(context, intro.policy, wanted)
    # Whoever never introduced itself has no states that a replay could complete.
    spoken, client.version = client.version, client.version or versions.SUPPORTED[0]
    missed = await replay(context.log, params["lastSeenServerSeq"], there, spoken) if spoken else None
    _assume(context, client)
    if missed is None:
        # The client learns of a channel that is gone by its absence here.
        return {"type": "snapshot", "snapshots": _begun(context, [uri for uri in there if _exists(context, uri)])}
    for uri in there:
        context.connection.subscribe(uri, Subscription(context.log.seq))
    return {"type": "replay", "actions": missed, "missing": gone}


def _begun(context: Context, channels: Sequence[str]) -> list[dict[str, Any]]:
    taken = [begin(context, uri) for uri in channels]
    return [snapshot for snapshot in taken if snapshot is not None]


async def _introduce(
    context: Context, intro: Introduction, client_id: str, channels: Sequence[str], negotiated: str | None, locale: str
) -> Client:
    if not 0 < len(client_id) <= MAX_CLIENT_ID or "\x00" in client_id:
        raise InvalidParams(f"params.clientId: expected 1 to {MAX_CLIENT_ID} characters")
    # A reconnect negotiates nothing: the client still speaks what it spoke before.
    life, spoken = await intro.bind(context.principal, client_id, negotiated, locale)
    # A client may come from another process with a higher number than ours: the numbers it sees must not fall.
    await context.log.refresh()
    await intro.met(context, client_id, channels)
    return Client(client_id, life, context.client.version or spoken)


def _assume(context: Context, said: Client) -> None:
    held = context.client
    if held.client_id:
        peers.remove(context.principal.tenant_id, context.connection)
    held.client_id, held.life, held.version = said.client_id, said.life, said.version
    held.locale, held.capabilities = said.locale, said.capabilities
    peers.add(context.principal.tenant_id, context.connection)


def _exists(context: Context, uri: str) -> bool:
    return context.log.view().exists(uri)


def _our_version() -> str:
    try:
        return version("ahp-platform")
    except PackageNotFoundError:
        return "0"
