"""Which entries may this connection see, and how do they look in its protocol version?

Source: DESIGN.md section 4.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from ahp_platform.eventlog.entry import ACTION, CLOSED, NOTICE, READERS, Entry
from ahp_platform.eventlog.view import Readers
from ahp_platform.rpc import wire
from ahp_platform.rpc.context import Client, Subscription

TRUNCATED = '{"type":"chat/truncated"'


class Surroundings(Protocol):
    """What an edge has to ask its connection."""

    def may_read(self, readers: Readers) -> bool:
        """Whether the principal is one of these readers."""

    def ended(self, uri: str) -> None:
        """The subscription to this channel is over."""

    def belongs(self, uri: str, session: str) -> bool:
        """Whether a channel is a session or belongs to it."""

    def older_turns(self, uri: str, action: Mapping[str, Any], seq: int) -> str | None:
        """The frame that loads the turns through the one that an action names."""


class Edge:
    """The subscriptions of one connection."""

    def __init__(self, client: Client, surroundings: Surroundings) -> None:
        self._client, self._around = client, surroundings
        self.subscriptions: dict[str, Subscription] = {}
        # Whether any subscription allows entries to be held back.
        self.holds_back = False
        # Whether any subscription shows only the latest turns of its chat.
        self.has_windows = False

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
        if entry.kind == READERS:
            self._restricted(entry)
            return None
        if not self.wants(entry):
            return None
        if entry.kind == ACTION or (entry.kind == NOTICE and self._around.may_read(entry.readers)):
            return wire.frame(self._client.version, entry)
        if entry.kind == CLOSED:
            self._around.ended(entry.channel)
        return None

    def older_turns(self, entry: Entry) -> str | None:
        """What must be sent before an entry that may name an older turn than the client has loaded."""
        if entry.kind != ACTION or not entry.body.startswith(TRUNCATED) or not self.wants(entry):
            return None
        held = self.subscriptions[entry.channel]
        if not held.windowed or "turnId" not in entry.action:
            return None
        held.windowed = False
        return self._around.older_turns(entry.channel, entry.action, entry.seq - 1)

    def _restricted(self, entry: Entry) -> None:
        """A session was closed to some: what comes after this entry must not reach them."""
        if not self._around.may_read(entry.action["readers"]):
            for uri in [uri for uri in self.subscriptions if self._around.belongs(uri, entry.channel)]:
                self._around.ended(uri)

    def _look(self) -> None:
        self.holds_back = any(s.max_latency_ms > 0 for s in self.subscriptions.values())
        self.has_windows = any(s.windowed for s in self.subscriptions.values())
