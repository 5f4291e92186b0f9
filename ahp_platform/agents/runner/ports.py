"""What does the runner need that other apps own?

The apps above hand it in when the process starts (`wiring`); the runner may not import them.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from ahp_platform.agents.backend import TurnFailed
from ahp_platform.eventlog.log import TenantLog


class Chats(Protocol):
    """Opens chats."""

    async def open_worker(self, log: TenantLog, session: str, origin_chat: str, tool_call_id: str, title: str) -> str:
        """A new chat of the session with the origin `tool`; returns its URI. Raises a `ProtocolError`."""


class CommandRequest(NamedTuple):
    """A shell command of a tool call: where it runs (a `file:` URI, "" for the tenant's directory) and for whom."""

    session: str
    turn_id: str
    tool_call_id: str
    command: str
    directory: str
    user_id: int | None


class CommandEnd(NamedTuple):
    """How a command ended (no code where its terminal was taken away), and the end of what it wrote."""

    exit_code: int | None
    preview: str
    truncated: bool


class Commands(Protocol):
    """Runs shell commands in terminals of a session."""

    async def start(self, log: TenantLog, request: CommandRequest) -> str:
        """The URI of the terminal in which the command will run. Raises `TurnFailed`."""

    async def finished(self, log: TenantLog, uri: str) -> CommandEnd:
        """Wait for its end."""

    async def stop(self, log: TenantLog, uri: str) -> None:
        """End it, if it runs."""


class NoCommands:
    """Nobody runs any."""

    async def start(self, log: TenantLog, request: CommandRequest) -> str:
        """See `Commands`."""
        raise TurnFailed("terminalsUnavailable", "This host runs no shell commands.")

    async def finished(self, log: TenantLog, uri: str) -> CommandEnd:
        """See `Commands`."""
        return CommandEnd(None, "", truncated=False)

    async def stop(self, log: TenantLog, uri: str) -> None:
        """See `Commands`."""


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
    commands: Commands = field(default_factory=NoCommands)
    credentials: Credentials = no_credentials
    locale: Locale = english


_configured: list[Ports] = []


def configure(
    chats: Chats,
    credentials: Credentials = no_credentials,
    locale: Locale = english,
    commands: Commands | None = None,
) -> None:
    """Hand in the ports of this process; a later call replaces an earlier one."""
    _configured[:] = [Ports(chats, commands or NoCommands(), credentials, locale)]


def ports() -> Ports:
    """The ports of this process; raises where nobody configured any."""
    if not _configured:
        raise RuntimeError("agents.runner.configure was not called in this process")
    return _configured[0]
