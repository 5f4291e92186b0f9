"""What is one numbered row of the log in memory, and how is it encoded once for everybody?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from ahp_platform.protocol import envelope

ACTION, NOTICE, OPENED, CLOSED, READERS = range(5)

_decode = msgspec.json.Decoder().decode


class Origin(NamedTuple):
    """Who dispatched an action: the protocol's `ActionOrigin`, and which life of that client id it was."""

    client_id: str
    client_seq: int
    life: int = 0


class Entry:
    """One row. Shared by every reader of the process: treat as immutable; the encodings are filled on first use."""

    __slots__ = (
        "_action",
        "_frame",
        "body",
        "channel",
        "kind",
        "now_ms",
        "origin",
        "readers",
        "seq",
        "user_id",
        "variants",
    )

    def __init__(
        self,
        seq: int,
        kind: int,
        channel: str,
        body: str,
        origin: Origin | None,
        user_id: int | None,
        readers: Sequence[int] | None,
        now_ms: int,
    ) -> None:
        self.seq, self.kind, self.channel, self.body = seq, kind, channel, body
        self.origin, self.user_id, self.readers, self.now_ms = origin, user_id, readers, now_ms
        self._action: dict[str, Any] | None = None
        self._frame: str | None = None
        self.variants: dict[str, str | None] | None = None

    @property
    def action(self) -> dict[str, Any]:
        """The decoded body."""
        if self._action is None:
            self._action = _decode(self.body)
        return self._action

    def keep_action(self, action: dict[str, Any]) -> None:
        """The writer has the decoded body at hand: spare the reader from decoding it."""
        self._action = action

    def envelope(self) -> str:
        """The JSON text of this action's `ActionEnvelope`."""
        return envelope.in_frame(self.frame)

    @property
    def frame(self) -> str:
        """The whole frame as the newest protocol version reads it: an `action` notification, or the notice itself."""
        if self._frame is None:
            self._frame = self.body if self.kind == NOTICE else self._around_action()
        return self._frame

    def _around_action(self) -> str:
        origin = (self.origin.client_id, self.origin.client_seq) if self.origin else None
        return envelope.action_frame(envelope.envelope_text(self.channel, self.body, self.seq, origin))


def from_row(row: Sequence[Any]) -> Entry:
    """An entry from a row of `sql.AFTER` or `sql.REPLAY`."""
    seq, kind, channel, body, client_id, client_seq, user_id, readers, now_ms = row
    origin = Origin(client_id, client_seq) if client_id is not None else None
    return Entry(seq, kind, channel, body, origin, user_id, readers, now_ms)
