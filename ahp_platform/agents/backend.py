"""What is an agent to us, and what may it do?

A backend gives its `AgentInfo` and opens one `AgentSession` per AHP session; the session answers prompts. Everything that an
agent wants to show or to ask goes through the `Sink` of the turn it was prompted for. It never sees the database, the log or a
socket. Actions and states are the plain JSON objects of the protocol. Source: DESIGN.md section 7.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

Json = dict[str, Any]
Object = Mapping[str, Any]


class TurnFailed(Exception):
    """Ends the turn with `chat/error`; the message is shown to people, so it says what they can do about it."""

    def __init__(self, error_type: str, message: str) -> None:
        super().__init__(message)
        self.error_type, self.message = error_type, message


class TurnStopped(Exception):
    """Ends the turn with `chat/turnCancelled`: the agent stopped by itself, without having failed."""


class TurnOver(Exception):
    """The turn has ended while the agent still worked for it: stop, nothing more will be shown."""


@dataclass(frozen=True, slots=True)
class Installation:
    """What a backend may know of where it runs: `base_url` is our own address, without a slash at its end."""

    base_url: str


class Remembered(NamedTuple):
    """An agent's own conversation for a chat: its id there, and the id of the last turn that it was prompted with."""

    id: str
    seen: str = ""


class Desk(Protocol):
    """What an agent session may know and say of its AHP session at any time, within a turn or not."""

    async def remembered(self, chat: str) -> Remembered | None:
        """What `remember` was told last, by whichever process."""

    async def remember(self, chat: str, conversation: Remembered) -> None:
        """Keep this for as long as the chat is there."""

    async def entitle(self, chat: str, title: str) -> None:
        """The agent has a name for the conversation; one that a person gave stays."""

    async def offer(self, chat: str, commands: Sequence[Object]) -> None:
        """The commands that a message in the chat may begin with, each with `name`, `description` and perhaps `hint`."""

    async def configure(self, values: Object) -> None:
        """The agent itself changed values of the session's configuration."""

    async def turns(self, chat: str, through: str) -> Sequence[Object]:
        """The turns of a chat of this session up to the one named, which may still run; empty where it is not there."""

    async def annotations(self, ids: Sequence[str] | None) -> Sequence[Object]:
        """The session's annotations with these ids, or all."""

    async def mcp_servers(self) -> Sequence[Object]:
        """The MCP servers that the agent is to use, as the Agent Client Protocol writes them."""


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """The AHP session an agent session is opened for. `tenant` is its slug."""

    uri: str
    provider: str
    tenant: str
    desk: Desk


@dataclass(frozen=True, slots=True)
class TurnRequest:
    """One prompt. `message` is a `Message`, `history` the chat's completed turns, `config` the session's resolved values.

    `credentials` maps the resources that the agent advertises to the tokens of the user who started the turn.
    """

    chat: str
    turn_id: str
    message: Object
    history: Sequence[Object] = ()
    config: Object = field(default_factory=dict)
    working_directories: Sequence[str] = ()
    credentials: Mapping[str, str] = field(default_factory=dict)
    locale: str = "en"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call that needs somebody's consent. `tool_input` is text, usually JSON; no `options` means the usual two.

    `edits` are the `FileEdit`s that it would make, `risk` is the `ToolCallRiskAssessment` of an agent that has one; asking again
    with another replaces it.
    """

    id: str
    tool_input: str
    invocation_message: str
    title: str = ""
    editable: bool = True
    options: Sequence[Object] = ()
    edits: Sequence[Object] = ()
    risk: Object | None = None


class Decision(NamedTuple):
    """The answer to a `ToolCall`. `tool_input` is what to run with, as edited; `suggestion` what the user would rather see."""

    approved: bool
    tool_input: str
    option: Object | None = None
    suggestion: str = ""


class Answers(NamedTuple):
    """The answer to a `ChatInputRequest`: question ids to `ChatInputAnswer`s, empty unless accepted."""

    response: Literal["accept", "decline", "cancel"]
    answers: Mapping[str, Object]


class WorkerResult(NamedTuple):
    """How a worker chat's turn ended (`complete`, `cancelled`, `error`), and the text it came to."""

    chat: str
    state: str
    text: str


@dataclass(frozen=True, slots=True)
class Command:
    """A line for the shell, run where the people of the session see it; "" as `directory` is the turn's own.

    `tool_call_id` is the tool call that it belongs to. The directory is a path of this machine.
    """

    line: str
    tool_call_id: str
    directory: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)


class CommandOutput(NamedTuple):
    """What a command has written so far, and whether and how it has ended (no code where its terminal was taken away)."""

    text: str
    ended: bool
    exit_code: int | None = None


class Files(Protocol):
    """The files of a turn: those in its working directories, by absolute or relative path. Refusals are `OSError`s."""

    async def read(self, path: str) -> str:
        """The text of a file."""

    async def write(self, path: str, text: str) -> None:
        """Make this the file's text."""

    async def edit(self, path: str, before: str | None, after: str | None) -> Json:
        """A `FileEdit` that shows both texts for as long as the session is there; None is a file that is not there."""

    async def keep(self, data: bytes, content_type: str) -> Json:
        """Keep something to show; its `ContentRef`."""


class Terminals(Protocol):
    """Commands in terminals of the session."""

    async def start(self, command: Command) -> str:
        """Run it; the URI of its terminal. Raises `TurnFailed`."""

    async def output(self, terminal: str) -> CommandOutput:
        """What there is of it now."""

    async def finished(self, terminal: str) -> CommandOutput:
        """Wait for its end."""

    async def end(self, terminal: str) -> None:
        """End it, if it runs."""


class Sink(Protocol):
    """The way out of one turn. Every method raises `TurnOver` once the turn has ended."""

    @property
    def files(self) -> Files:
        """The files that it works on."""

    @property
    def terminals(self) -> Terminals:
        """The commands that it runs."""

    async def emit(self, action: Json) -> None:
        """Append an action of an agent to the chat, without its `turnId`. Waits only while the log is far behind."""

    async def confirm(self, call: ToolCall) -> Decision:
        """Ask whether a started tool call may run. Asking twice before the answer asks once, with the later details."""

    async def ask(self, request: Json) -> Answers:
        """Put a `ChatInputRequest` to the people in the chat."""

    async def client_tool(self, name: str, tool_input: str) -> Json | None:
        """Call a tool of an active client; returns its `ToolCallResult`, or None where no client offers it."""

    async def mcp_tool(self, server: str, name: str, tool_input: str) -> Json | None:
        """Call a tool of an MCP server of the session, by the server's name or id, if somebody approves.

        Returns its `ToolCallResult` (with the error code `denied` where nobody did), or None where no such server is switched on.
        """

    async def worker(self, tool_call_id: str, title: str, text: str) -> WorkerResult:
        """Open a chat that belongs to a running tool call, prompt it with `text` and wait for the end of its turn."""

    async def write_file(self, path: str, text: str) -> Json:
        """Write a file inside the first working directory; returns a `FileEdit`. Raises `OSError` where it may not be."""

    async def terminal(self, tool_call_id: str, command: str) -> Json:
        """Run a shell command of a running tool call in a terminal of the session; returns the `ToolCallResult`."""


class AgentSession(Protocol):
    """An agent at work for one AHP session: all its chats, several turns at once."""

    async def prompt(self, turn: TurnRequest, sink: Sink) -> None:
        """Answer; the turn is complete when this returns. Raises `TurnFailed`. Cancelled when the turn ends before."""

    async def steer(self, turn: TurnRequest, message: Object) -> bool:
        """Take a message into a running turn; False where it cannot be taken now."""

    async def cancel(self, turn: TurnRequest) -> None:
        """The turn has ended: stop working for it."""

    async def fork(self, origin: Object, chat: str) -> None:
        """A chat is about to be prompted for the first time that began as `origin` says (a `fork` or `sideChat`)."""

    async def close(self) -> None:
        """Let go of everything."""


class AgentBackend(Protocol):
    """A kind of agent, made once per process with the `Installation`."""

    @property
    def idle_s(self) -> int:
        """The seconds without a turn after which its sessions are closed; 0 leaves it to the host's setting."""

    def info(self) -> Json:
        """Its `AgentInfo`."""

    def options(self) -> Json:
        """What can be set for a session: names of properties to their `SessionConfigPropertySchema`."""

    async def open(self, session: SessionInfo) -> AgentSession:
        """Start working for a session. Raises `TurnFailed` where the agent cannot start."""
