"""How does a person use a terminal? A client, the terminal's channel, and what they can do with it."""

from __future__ import annotations

import os
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.client import Client, Message

START_S = 30.0


def new_terminal() -> str:
    """A terminal URI that nobody has used."""
    return f"ahp-terminal:/{uuid.uuid4()}"


@dataclass(frozen=True)
class Shell:
    """A terminal as one client sees it."""

    client: Client
    uri: str

    @classmethod
    async def opened(cls, client: Client, claim: Message | None = None, **more: Any) -> Shell:
        """A new terminal, held by the client unless something else is said, and followed by it."""
        uri = new_terminal()
        held = claim or {"kind": "client", "clientId": client.client_id}
        await client.request("createTerminal", {"channel": uri, "claim": held, **more})
        await client.subscribe(uri)
        return cls(client, uri)

    def seen_by(self, other: Client) -> Shell:
        """The same terminal, used by another client."""
        return Shell(other, self.uri)

    @property
    def text(self) -> str:
        """What it has shown to the client so far."""
        ours = (one["action"] for one in self.client.envelopes if one["channel"] == self.uri)
        return "".join(action["data"] for action in ours if action["type"] == "terminal/data")

    async def dispatch(self, type_: str, **values: Any) -> int:
        """Dispatch an action on it."""
        return await self.client.dispatch(self.uri, {"type": f"terminal/{type_}", **values})

    async def type(self, line: str) -> None:
        """Type a line and Enter."""
        await self.dispatch("input", data=f"{line}\r")

    async def shows(self, text: str, within_s: float = START_S) -> None:
        """Wait until it has shown the text."""
        await self.client.until(lambda: text in self.text, f"{text!r} in {self.text[-300:]!r}", within_s)

    async def action(self, type_: str, within_s: float = START_S, **match: Any) -> Message:
        """Wait for an action of it."""
        found = await self.client.action(self.uri, f"terminal/{type_}", within_s=within_s, **match)
        action: Message = found["action"]
        return action

    async def refusal(self, type_: str, **values: Any) -> str:
        """Dispatch what must be refused: the reason."""
        envelope = await self.client.echo(await self.dispatch(type_, **values))
        reason: str = envelope["rejectionReason"]
        return reason

    async def state(self) -> Message:
        """Its state, as a newcomer is told."""
        state: Message = (await self.client.subscribe(self.uri))["state"]
        return state

    async def dispose(self) -> None:
        """Dispose of it."""
        await self.client.request("disposeTerminal", {"channel": self.uri})


def running(word: str) -> list[int]:
    """The processes, zombies aside, that have the word among their arguments."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and word.encode() in (folder / "cmdline").read_bytes().split(b"\0"):
                found.append(int(folder.name))
        except OSError:
            continue
    return [pid for pid in found if pid != os.getpid()]
