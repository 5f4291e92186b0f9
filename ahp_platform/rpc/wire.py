"""What does an entry of the log look like on a connection of a given protocol version?

Encoded once per version and shared by all connections; None where the version does not know it. Source: PROTOCOL.md
section 2.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ahp_platform.eventlog.entry import NOTICE, Entry, Origin
from ahp_platform.protocol import envelope as envelopes
from ahp_platform.protocol import jsonrpc, versions

NEWEST = versions.SUPPORTED[0]


def frame(version: str, entry: Entry) -> str | None:
    """The frame of an action or notice."""
    if version == NEWEST:
        return entry.frame
    if entry.variants is None:
        entry.variants = {}
    if version not in entry.variants:
        entry.variants[version] = _older(version, entry)
    return entry.variants[version]


def envelope(version: str, entry: Entry) -> str | None:
    """The `ActionEnvelope` of an action, as a replay carries it."""
    if version == NEWEST:
        return entry.envelope()
    action = versions.action(version, entry.action)
    return None if action is None else own_envelope(entry.channel, action, entry.seq, entry.origin)


def own_envelope(
    uri: str, action: Mapping[str, Any], seq: int, origin: Origin | None, rejection: str | None = None
) -> str:
    """The envelope of an action that is not in the log: a rejection, or an echo to its sender alone."""
    who = (origin.client_id, origin.client_seq) if origin else None
    return envelopes.envelope_text(uri, jsonrpc.encode(action), seq, who, rejection)


def _older(version: str, entry: Entry) -> str | None:
    if entry.kind == NOTICE:
        params = versions.notification(version, entry.action["method"], entry.action["params"])
        return None if params is None else jsonrpc.notification_text(entry.action["method"], params)
    text = envelope(version, entry)
    return None if text is None else envelopes.action_frame(text)
