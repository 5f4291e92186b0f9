"""What does a plan see, and how does it say what should happen?

A plan is a synchronous function that may be run again: it looks at states through a `View` and records actions,
births, deaths, notices and projection statements on it. Nothing is real until the log has committed the batch that
holds it. Source: DESIGN.md section 3.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from ahp_platform.eventlog.entry import ACTION, CLOSED, NOTICE, OPENED, READERS, Origin
from ahp_platform.protocol import jsonrpc, uris
from ahp_platform.protocol.channel import ACTIONS, reduce
from ahp_platform.protocol.errors import NotFound

# A JSON object; which of the protocol's state types it is, its channel's kind says.
State = Any
Readers = Sequence[int] | None


class Refused(Exception):
    """The plan's action is refused: data for the sender (`rejectionReason`), not a failure."""


class NeedsChannel(Exception):
    """The plan looked at a channel that is not in memory; the log loads it and runs the plan again."""

    def __init__(self, uri: str) -> None:
        super().__init__(uri)
        self.uri = uri


@dataclass(slots=True)
class ChannelView:
    """A channel at one moment: who opened it when, who may read it, and its state. Never changed, only replaced.

    `parent` is the session that a chat, terminal or changeset belongs to; `readers` lists users, None means the whole
    tenant; `born` is the number at which it was opened (0: in this very batch).
    """

    kind: str
    parent: str | None
    readers: Readers
    state: State
    opened_by: int | None = None
    opened_ms: int = 0
    born: int = 0

    def with_state(self, state: State) -> ChannelView:
        """The channel after an action; spelled out, because it is made once per action."""
        return ChannelView(self.kind, self.parent, self.readers, state, self.opened_by, self.opened_ms, self.born)


@dataclass(slots=True)
class Event:
    """One row to be written."""

    kind: int
    channel: str
    body: str
    action: dict[str, Any] | None = None
    origin: Origin | None = None
    user_id: int | None = None
    readers: Readers = None


@dataclass(slots=True)
class Draft:
    """What one plan wants; merged into its batch when the plan has succeeded."""

    channels: dict[str, ChannelView | None] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    statements: list[tuple[str, Sequence[object]]] = field(default_factory=list)


class Consequences(Protocol):
    """Adds the derived actions of one change (a chat's status shows in its session, …)."""

    def __call__(self, view: View, channel: str, before: State, after: State, action: Mapping[str, Any]) -> None: ...


class View:
    """States at exactly one sequence number, and the draft of one plan on top of them."""

    def __init__(
        self,
        tenant_id: int,
        lookup: Callable[[str], ChannelView | None],
        consequences: Consequences,
        now_ms: int,
        origin: Origin | None = None,
        user_id: int | None = None,
    ) -> None:
        self.tenant_id = tenant_id
        self._lookup, self._consequences = lookup, consequences
        self.now_ms, self.origin, self.user_id = now_ms, origin, user_id
        self._unclaimed = origin
        self.draft = Draft()

    def find(self, uri: str) -> ChannelView | None:
        """The channel as it is after what this plan has recorded so far, or None where it does not exist."""
        if uri in self.draft.channels:
            return self.draft.channels[uri]
        return self._lookup(uri)

    def channel(self, uri: str) -> ChannelView:
        """The channel; raises `NotFound` (-32008)."""
        found = self.find(uri)
        if found is None:
            raise NotFound("No such channel")
        return found

    def exists(self, uri: str) -> bool:
        """Whether the channel exists."""
        return self.find(uri) is not None

    def state(self, uri: str) -> State:
        """The channel's state; raises `NotFound`."""
        return self.channel(uri).state

    def readers(self, uri: str) -> Readers:
        """Who may read the channel: its own list, or that of the session it belongs to. None means the whole tenant."""
        found = self.channel(uri)
        if found.parent is None:
            return found.readers
        parent = self.find(found.parent)
        return parent.readers if parent else ()

    def act(self, uri: str, action: dict[str, Any]) -> bool:
        """Record an action, with its consequences. False where it changes nothing (then nothing is recorded)."""
        channel = self.channel(uri)
        before = channel.state
        after = reduce(channel.kind, before, action, self.now_ms)
        spec = ACTIONS.get(action["type"])
        if after is before and not (spec and spec.signal):
            return False
        self.draft.channels[uri] = channel.with_state(after)
        self._record(ACTION, uri, jsonrpc.encode(action), action=action)
        self._consequences(self, uri, before, after, action)
        return True

    def open(self, uri: str, kind: str, state: State, parent: str | None = None, readers: Readers = None) -> None:
        """A channel is born with this state; opening one that exists is a programming error."""
        if self.exists(uri):
            raise ValueError(f"channel {uri} exists")
        self.draft.channels[uri] = ChannelView(kind, parent, readers, state, self.user_id, self.now_ms)
        self._record(OPENED, uri, jsonrpc.encode({"kind": kind, "parent": parent}))

    def close(self, uri: str) -> None:
        """The channel is gone; subscriptions to it end."""
        self.channel(uri)
        self.draft.channels[uri] = None
        self._record(CLOSED, uri, "{}")

    def restrict(self, uri: str, readers: Readers) -> None:
        """From now on only these users may read the channel and those that belong to it (None: the whole tenant)."""
        self.draft.channels[uri] = replace(self.channel(uri), readers=readers)
        self._record(READERS, uri, jsonrpc.encode({"readers": readers}))

    def notice(self, method: str, params: Mapping[str, Any], readers: Readers = None) -> None:
        """A protocol notification to the root subscribers among `readers`; never replayed (PROTOCOL.md section 3)."""
        body = jsonrpc.notification_text(method, {"channel": uris.ROOT, **params})
        self.draft.events.append(Event(NOTICE, uris.ROOT, body, readers=readers))

    def sql(self, statement: str, params: Sequence[object]) -> None:
        """A statement to run in the transaction that commits this plan."""
        self.draft.statements.append((statement, params))

    def _record(self, kind: int, uri: str, body: str, action: dict[str, Any] | None = None) -> None:
        # The origin marks the dispatched action itself, which comes first; what follows from it is ours.
        origin = None
        if kind == ACTION:
            origin, self._unclaimed = self._unclaimed, None
        self.draft.events.append(Event(kind, uri, body, action, origin, self.user_id))
