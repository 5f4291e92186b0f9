"""How is a channel's state shown to a subscriber?

Snapshots of one state are encoded once and shared by everybody who asks for the same view of it, so that a storm of
reconnecting clients costs one encoding. Source: PROTOCOL.md sections 3, 4 and 7.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any
from weakref import WeakKeyDictionary

import msgspec

from ahp_platform.eventlog.log import TenantLog
from ahp_platform.eventlog.view import ChannelView
from ahp_platform.protocol import jsonrpc, uris, versions
from ahp_platform.protocol.channels.session.aggregate import counted, presented
from ahp_platform.rpc import turn_pages

KEPT_PER_TENANT = 256

# One encoding may serve many only while it is worth its memory.
KEPT_BYTES = 16 * 1024 * 1024

_Key = tuple[str, str, int | None]
# An encoding is good while these are the very states that it was made of.
_Sources = tuple[Mapping[str, Any], Mapping[str, Any] | None]
_encodings: WeakKeyDictionary[TenantLog, OrderedDict[_Key, tuple[_Sources, bytes]]] = WeakKeyDictionary()


def snapshot(log: TenantLog, uri: str, version: str, turns: int | None = None) -> dict[str, Any]:
    """The `Snapshot` of a channel that was `require_readable`, as of `log.seq`; `turns` bounds a chat's completed turns."""
    channel = log.peek(uri)
    state = msgspec.Raw(_encoded(log, uri, channel, version, turns))
    return {"resource": uri, "state": state, "fromSeq": log.seq}


def _encoded(log: TenantLog, uri: str, channel: ChannelView, version: str, turns: int | None) -> bytes:
    kept = _encodings.setdefault(log, OrderedDict())
    key = (uri, version, turns)
    found = kept.get(key)
    sources = channel.state, _annotations(log, uri) if channel.kind == "session" else None
    if found is not None and found[0][0] is sources[0] and found[0][1] is sources[1]:
        kept.move_to_end(key)
        return found[1]
    text = jsonrpc.encode(versions.state(version, channel.kind, _shown(uri, channel, sources[1], turns))).encode()
    if len(text) <= KEPT_BYTES:
        kept[key] = (sources, text)
        kept.move_to_end(key)
        while len(kept) > KEPT_PER_TENANT or sum(len(t) for _, t in kept.values()) > 4 * KEPT_BYTES:
            kept.popitem(last=False)
    return text


def _annotations(log: TenantLog, session: str) -> Mapping[str, Any] | None:
    found = log.view().find(uris.annotations_of(session))
    return found.state if found else None


def _shown(uri: str, channel: ChannelView, notes: Any, turns: int | None) -> Mapping[str, Any]:
    if channel.kind == "session":
        return presented(counted(channel.state, uri, notes))
    if channel.kind == "chat" and turns is not None:
        return turn_pages.bounded(channel.state, turns)
    shown: Mapping[str, Any] = channel.state
    return shown
