"""What does a handler get besides its params?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from ahp_platform.eventlog.entry import Origin
from ahp_platform.eventlog.log import TenantLog


class Principal(Protocol):
    """Who is at the other end: a user in one tenant. `auth_app.principal` has the class."""

    @property
    def tenant_id(self) -> int: ...
    @property
    def user_id(self) -> int: ...
    @property
    def username(self) -> str: ...
    @property
    def role(self) -> str: ...
    @property
    def scopes(self) -> frozenset[str]: ...


@dataclass(frozen=True, slots=True)
class Ended:
    """A principal who may no longer be here, and what their sockets are closed with."""

    code: int
    reason: str


@dataclass(slots=True)
class Subscription:
    """What a connection holds of one channel.

    Entries up to `from_seq` are in its snapshot; latency is in milliseconds; `windowed` while the client may lack older
    turns of a chat.
    """

    from_seq: int
    max_latency_ms: float = 0.0
    windowed: bool = False


@dataclass(slots=True)
class Client:
    """What a client said of itself in its handshake; `client_id` is empty before it."""

    client_id: str = ""
    life: int = 0
    version: str = ""
    locale: str = "en"
    capabilities: Mapping[str, Any] = field(default_factory=dict)


class Connection(Protocol):
    """One socket, as handlers see it."""

    id: str
    client: Client

    @property
    def subscriptions(self) -> Mapping[str, Subscription]:
        """The channels that the connection follows."""

    def subscribe(self, uri: str, subscription: Subscription) -> None:
        """From now on entries of the channel above `from_seq` are sent; replaces an earlier subscription."""

    def unsubscribe(self, uri: str) -> None:
        """From now on nothing of the channel is sent."""

    def put(self, frame: str) -> None:
        """Send a frame after everything that is on its way already."""

    def close(self, code: int, reason: str) -> None:
        """Close after everything that is on its way already."""


@dataclass(frozen=True, slots=True)
class Context:
    """The connection that a message came from, and whom it acts for."""

    connection: Connection
    principal: Principal
    log: TenantLog

    @property
    def client(self) -> Client:
        """The handshake's words."""
        return self.connection.client

    def origin(self, client_seq: int) -> Origin:
        """The origin of an action that this client dispatches."""
        return Origin(self.client.client_id, client_seq, self.client.life)
