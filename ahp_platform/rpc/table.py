"""Which methods does this host serve, how, and under which rules?

The tables are literal and live in `ahp_platform.wiring`; `Service` is what the dispatcher needs of them. Checks at
start-up fail when a table has a hole. Source: DESIGN.md section 2.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from ahp_platform.eventlog.view import Readers, View
from ahp_platform.protocol.errors import ProtocolError
from ahp_platform.rpc.context import Context, Principal

Params = dict[str, Any]
Call = Callable[[Context, Params], Awaitable[object]]

# Adjusts a client's action before it is applied (stamps an author, …), or raises `Refused`; sees all channels.
Intake = Callable[[View, str, dict[str, Any], Context], dict[str, Any]]

# What a client's action needs to have at hand before its plan runs, which must not wait.
Preparation = Callable[[Context, str, Mapping[str, Any]], Awaitable[None]]


# Counts a message of this principal: why it is one too many, or None. Must not wait.
Count = Callable[[Principal], ProtocolError | None]


def without_limit(principal: Principal) -> None:
    """Everybody may send as much as their connections take."""


@dataclass(frozen=True, slots=True)
class Handler:
    """A method's handler. Ordered ones run one after another per connection; the others beside them, as they may be
    slow.
    """

    call: Call
    ordered: bool = True


class Policy(Protocol):
    """The one place that says who may do what."""

    def require_method(self, principal: Principal, method: str) -> None:
        """Raise `PermissionDenied` where the principal may not call the method at all."""

    def refuse_action(self, principal: Principal, action_type: str) -> str | None:
        """Why the principal may not dispatch actions of this type, or None."""

    def may_read(self, principal: Principal, readers: Readers) -> bool:
        """Whether the principal is among the readers of a channel."""


class Relay(Protocol):
    """Takes requests that are for somebody behind us, and answers them with what they say."""

    def takes(self, method: str, params: object) -> bool:
        """Whether a request is one of those."""

    async def serve(self, context: Context, method: str, params: Params) -> object:
        """The result; raises a `ProtocolError`. What is asked, and by whom, is the relay's to judge."""


@dataclass(frozen=True, slots=True)
class Service:
    """Everything the dispatcher is wired with."""

    methods: Mapping[str, Handler]
    intakes: Mapping[str, Intake]
    policy: Policy
    preparations: Mapping[str, Preparation] = field(default_factory=dict)
    count: Count = without_limit
    relay: Relay | None = None
