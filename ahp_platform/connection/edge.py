"""Which entries may this connection see, and how do they look in its protocol version?

Source: DESIGN.md section 4.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ahp_platform.eventlog.entry import ACTION, CLOSED, NOTICE, Entry
from ahp_platform.rpc import wire
from ahp_platform.rpc.context import Client, Subscription


class Edge:
    """The subscriptions of one connection; `ended` is called with a channel that was closed."""

    def __init__(self, client: Client, may_read: Callable[[Sequence[int] | None], bool], ended: Callable[[str], None]):
        self._client, self.may_read, self._ended = client, may_read, ended
        self.subscriptions: dict[str, Subscription] = {}
        # Whether any subscription allows entries to be held back.
        self.holds_back = False

    def subscribe(self, uri: str, subscription: Subscription) -> None:
        """Let the channel's entries above `from_seq` pass."""
        self.subscriptions[uri] = subscription
        self._look()

    def unsubscribe(self, uri: str) -> None:
        """Let nothing of the channel pass."""
        self.subscriptions.pop(uri, None)
        self._look()

    def latency_s(self, entry: Entry) -> float:
        """For how long the entry may be held back."""
        held = self.subscriptions.get(entry.channel)
        return held.max_latency_ms / 1000 if held else 0.0

    def wants(self, entry: Entry) -> bool:
        """Whether the entry concerns this connection, as things stand."""
        held = self.subscriptions.get(entry.channel)
        return held is not None and entry.seq > held.from_seq

    def frame(self, entry: Entry) -> str | None:
        """The entry's frame, or None where nothing is to be sent; a closed channel's subscription ends here."""
        if not self.wants(entry):
            return None
        if entry.kind == ACTION or (entry.kind == NOTICE and self.may_read(entry.readers)):
            return wire.frame(self._client.version, entry)
        if entry.kind == CLOSED:
            self._ended(entry.channel)
        return None

    def _look(self) -> None:
        self.holds_back = any(s.max_latency_ms > 0 for s in self.subscriptions.values())
