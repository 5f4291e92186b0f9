"""How does an action travel to clients?

As JSON text around an action that is encoded already: an action is encoded once, and every envelope of it is a
concatenation.
"""

from __future__ import annotations

import msgspec

_encode = msgspec.json.encode


def envelope_text(
    channel: str,
    action_json: str,
    server_seq: int,
    origin: tuple[str, int] | None = None,
    rejection: str | None = None,
) -> str:
    """The JSON text of an `ActionEnvelope`. `origin` is (clientId, clientSeq), None for the host's own actions."""
    head = f'{{"channel":{_encode(channel).decode()},"action":{action_json},"serverSeq":{server_seq}'
    if origin is not None:
        head += f',"origin":{{"clientId":{_encode(origin[0]).decode()},"clientSeq":{origin[1]}}}'
    if rejection is not None:
        head += f',"rejectionReason":{_encode(rejection).decode()}'
    return head + "}"


_BEFORE = '{"jsonrpc":"2.0","method":"action","params":'
_AFTER = "}"


def action_frame(envelope: str) -> str:
    """The frame of an `action` notification around the text of an envelope."""
    return f"{_BEFORE}{envelope}{_AFTER}"


def in_frame(frame: str) -> str:
    """The text of the envelope in such a frame."""
    return frame[len(_BEFORE) : -len(_AFTER)]
