"""What does the runner need that other apps own?

The apps above hand it in when the process starts (`wiring`); the runner may not import them.
"""

from __future__ import annotations

import base64
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from ahp_platform.agents.backend import CommandOutput, Json, Object, TurnFailed
from ahp_platform.eventlog.log import TenantLog

MAX_DATA_URI = 48 * 1024


class Chats(Protocol):
    """Opens chats."""

    async def open_worker(self, log: TenantLog, session: str, origin_chat: str, tool_call_id: str, title: str) -> str:
        """A new chat of the session with the origin `tool`; returns its URI. Raises a `ProtocolError`."""

    async def entitle(self, log: TenantLog, chat: str, title: str, before: str | None) -> None:
        """An agent's name for a chat, and for its session if that is its default chat; what a person named stays.

        `before` is what the agent called it until now.
        """


class CommandRequest(NamedTuple):
    """A shell command of a tool call: where it runs (a `file:` URI, "" for the tenant's directory) and for whom."""

    session: str
    turn_id: str
    tool_call_id: str
    command: str
    directory: str
    user_id: int | None
    environment: Mapping[str, str] = {}


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

    async def output(self, log: TenantLog, uri: str) -> CommandOutput:
        """What it has written so far, as far as its terminal keeps it."""

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

    async def output(self, log: TenantLog, uri: str) -> CommandOutput:
        """See `Commands`."""
        return CommandOutput("", ended=True)

    async def stop(self, log: TenantLog, uri: str) -> None:
        """See `Commands`."""


# Something that an MCP server wants while it is asked, and what it gets.
Heard = Callable[[Json], Awaitable[Json]]


class McpTools(Protocol):
    """Calls tools of the MCP servers of a session."""

    async def call(
        self, log: TenantLog, session: str, server: str, params: Json, user_id: int | None, heard: Heard
    ) -> Json:
        """The `CallToolResult`; `server` is the id of its customization. Raises `TurnFailed` where there is none."""


class NoMcpTools:
    """There are none."""

    async def call(
        self, log: TenantLog, session: str, server: str, params: Json, user_id: int | None, heard: Heard
    ) -> Json:
        """See `McpTools`."""
        raise TurnFailed("mcpUnavailable", "This host speaks with no MCP servers.")


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


# Keeps bytes that a session shows, for as long as it is there: (tenant id, session, bytes, content type) -> `ContentRef`.
Contents = Callable[[int, str, bytes, str], Awaitable[Json]]

# The MCP servers that a session's agent is to use, as the Agent Client Protocol writes them.
McpServers = Callable[[TenantLog, str], Awaitable[Sequence[Object]]]


async def no_contents(tenant_id: int, session: str, data: bytes, content_type: str) -> Json:
    """Nothing is kept; what is small is shown by a URI that has it all."""
    return {
        "uri": f"data:{content_type};base64,{base64.b64encode(data[:MAX_DATA_URI]).decode()}",
        "sizeHint": len(data),
    }


async def no_mcp_servers(log: TenantLog, session: str) -> Sequence[Object]:
    """There are none."""
    return ()


@dataclass(frozen=True, slots=True)
class Ports:
    """What was handed in."""

    chats: Chats
    credentials: Credentials = no_credentials
    locale: Locale = english
    commands: Commands = field(default_factory=NoCommands)
    contents: Contents = no_contents
    mcp_servers: McpServers = no_mcp_servers
    mcp_tools: McpTools = field(default_factory=NoMcpTools)


_configured: list[Ports] = []


def configure(handed_in: Ports) -> None:
    """Hand in the ports of this process; a later call replaces an earlier one."""
    _configured[:] = [handed_in]


def ports() -> Ports:
    """The ports of this process; raises where nobody configured any."""
    if not _configured:
        raise RuntimeError("agents.runner.configure was not called in this process")
    return _configured[0]
