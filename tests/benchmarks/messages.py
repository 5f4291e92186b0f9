"""What do the sockets say? Handshakes and actions for the load generator, which fills in the parts with a percent sign.

Every delivered envelope has `FRAME_BYTES`, ours and those of the servers that we compare with.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ahp_platform.protocol import jsonrpc
from ahp_platform.protocol.envelope import action_frame, envelope_text
from ahp_platform.protocol.uris import ROOT
from tests.benchmarks.load import Endpoint
from tests.benchmarks.seed import Tenant

FRAME_BYTES = 250
CLIENT = "load-%c"
# What the load generator makes of %t, and numbers as long as most are in the middle of a run.
STAMP = "~00000000~000000000000~"
TYPICAL_SEQ = 5_000

GREETING = '{"id":0}'


def ours(tenant: Tenant, ports: Sequence[int], channels: Sequence[str] = ()) -> Endpoint:
    """Our service: each socket initializes and subscribes to the channels."""
    params = {"protocolVersions": ["0.7.0"], "clientId": CLIENT, "initialSubscriptions": list(channels)}
    hello = request(0, "initialize", params)
    return Endpoint(ports, f"/ahp/{tenant.slug}", bearer(tenant), hello)


def bare(port: int) -> Endpoint:
    """One of the servers under `bare/`."""
    return Endpoint([port], hello=GREETING)


def bearer(tenant: Tenant) -> str:
    """The header that lets a socket in."""
    return f"Authorization: Bearer {tenant.token}"


def request(number: int | str, method: str, params: Mapping[str, Any]) -> str:
    """A request on the root channel unless the params name another; the number may be a placeholder."""
    body = jsonrpc.encode({"channel": ROOT, **params})
    return f'{{"jsonrpc":"2.0","id":{number},"method":"{method}","params":{body}}}'


def draft(chat: str) -> str:
    """A dispatched action whose echo has `FRAME_BYTES`. A draft replaces the one before it, so the state does not grow."""
    return _dispatch(chat, "%t" + "x" * room(echo(chat, STAMP)))


def plain() -> str:
    """A message of `FRAME_BYTES` for a server that passes it on as it is."""
    padding = "x" * room(f'{{"stamp":"{STAMP}","padding":""}}')
    return f'{{"stamp":"%t","padding":"{padding}"}}'


def room(text: str) -> int:
    """How much is missing to FRAME_BYTES."""
    return FRAME_BYTES - len(text)


def draft_action(text: str) -> dict[str, Any]:
    """The action of `draft`."""
    return {"type": "chat/draftChanged", "draft": {"text": text, "origin": {"kind": "user"}}}


def _dispatch(chat: str, text: str) -> str:
    action = jsonrpc.encode(draft_action(text))
    params = f'{{"channel":"{chat}","clientSeq":%n,"action":{action}}}'
    return f'{{"jsonrpc":"2.0","method":"dispatchAction","params":{params}}}'


def echo(chat: str, text: str) -> str:
    """What everybody gets of a dispatched draft with this text."""
    action = jsonrpc.encode(draft_action(text))
    return action_frame(envelope_text(chat, action, TYPICAL_SEQ, ("load-0", TYPICAL_SEQ)))
