"""What does the runner need that other apps own?

The apps above hand it in when the process starts (`wiring`); the runner may not import them.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from ahp_platform.eventlog.log import TenantLog


class Chats(Protocol):
    """Opens chats."""

    async def open_worker(self, log: TenantLog, session: str, origin_chat: str, tool_call_id: str, title: str) -> str:
        """A new chat of the session with the origin `tool`; returns its URI. Raises a `ProtocolError`."""


# The tokens that this user has given for these resources: (tenant id, user id, resources) -> resource -> token.
Credentials = Callable[[int, int | None, Sequence[str]], Awaitable[Mapping[str, str]]]

# The language of a user: (tenant id, user id) -> a BCP 47 tag.
Locale = Callable[[int, int | None], Awaitable[str]]


async def no_credentials(tenant_id: int, user_id: int | None, resources: Sequence[str]) -> Mapping[str, str]:
    """Nobody has given any."""
    return {}


async def english(tenant_id: int, user_id: int | None) -> str:
    """Nobody has said anything else."""
    return "en"


@dataclass(frozen=True, slots=True)
class Ports:
    """What was handed in."""

    chats: Chats
    credentials: Credentials = no_credentials
    locale: Locale = english


_configured: list[Ports] = []


def configure(chats: Chats, credentials: Credentials = no_credentials, locale: Locale = english) -> None:
    """Hand in the ports of this process; a later call replaces an earlier one."""
    _configured[:] = [Ports(chats, credentials, locale)]


def ports() -> Ports:
    """The ports of this process; raises where nobody configured any."""
    if not _configured:
        raise RuntimeError("agents.runner.configure was not called in this process")
    return _configured[0]
