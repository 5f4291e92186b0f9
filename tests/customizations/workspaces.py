"""How do tests lay out a working directory, and wait for what a session makes of it?"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.client import Client, Message
from tests.interaction.conversation import Talk, accepted, begin
from tests.service import RunningService

NOTES = Path(__file__).parents[1] / "mcp" / "notes_server.py"


class Project:
    """A directory of the demo tenant."""

    def __init__(self, service: RunningService) -> None:
        root = Path(service.env["AHP_DATA_DIR"]).resolve() / "workspaces" / "demo"
        self.path = root / f"project-{uuid.uuid4().hex[:12]}"
        self.path.mkdir(parents=True)

    @property
    def uri(self) -> str:
        return self.path.as_uri()

    def write(self, name: str, text: str) -> None:
        """Write a file, whose directories are made."""
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def declare(self, **servers: Any) -> None:
        """Write `.mcp.json`."""
        self.write(".mcp.json", json.dumps({"mcpServers": servers}))

    def notes(self, *arguments: str, **more: Any) -> Message:
        """The declaration of the server `notes`, which is put into the project."""
        self.write("notes_server.py", NOTES.read_text())
        return {"command": "python3", "args": ["${workspaceFolder}/notes_server.py", *arguments], **more}

    async def session(self, client: Client, **params: Any) -> Talk:
        """A session that works in it."""
        return await begin(client, workingDirectories=[self.uri], **params)


def every(talk: Talk) -> Iterator[Mapping[str, Any]]:
    """All customizations of a session, as its client knows them by now."""
    for item in talk.session_state.get("customizations", ()):
        yield item
        yield from item.get("children", ())


def named(talk: Talk, name: str) -> Mapping[str, Any] | None:
    """The customization with that name, if the session has it."""
    return next((item for item in every(talk) if item["name"] == name), None)


async def until(
    talk: Talk, name: str, fits: Callable[[Mapping[str, Any]], bool] = lambda item: True, **options: Any
) -> Mapping[str, Any]:
    """Wait until the session has a customization with that name which fits."""

    def found() -> Mapping[str, Any] | None:
        item = named(talk, name)
        return item if item is not None and fits(item) else None

    return await talk.client.until(found, f"the customization {name}", **options)


async def until_state(talk: Talk, name: str, kind: str, **options: Any) -> Mapping[str, Any]:
    """Wait until an MCP server of the session is in that state."""
    return await until(talk, name, lambda item: item["state"]["kind"] == kind, **options)


def start(id: str) -> Message:
    return {"type": "session/mcpServerStartRequested", "id": id}


def stop(id: str) -> Message:
    return {"type": "session/mcpServerStopRequested", "id": id}


def toggle(id: str, enabled: bool) -> Message:
    return {"type": "session/customizationToggled", "id": id, "enabled": enabled}


async def ready(talk: Talk, name: str) -> Mapping[str, Any]:
    """Start a server of the session and wait until it answers."""
    server = await until(talk, name)
    await accepted(talk.client, talk.session, start(server["id"]))
    return await until_state(talk, name, "ready")


async def approve(talk: Talk, turn_id: str, approved: bool = True) -> Message:
    """Answer the confirmation that a turn waits for: the action that asked for it."""
    asked = await talk.action("chat/toolCallReady", turnId=turn_id)
    decision: Message = {"approved": True, "confirmed": "user-action"} if approved else {"approved": False}
    if not approved:
        decision["reason"] = "denied"
    call = {"turnId": turn_id, "toolCallId": asked["toolCallId"]}
    await accepted(talk.client, talk.chat, {"type": "chat/toolCallConfirmed", **call, **decision})
    return asked


async def called(talk: Talk, command: str) -> Message:
    """A whole turn in which a tool is called and approved: the call as it stands in the transcript."""
    turn_id = await talk.start(f"mcp {command}")
    await approve(talk, turn_id)
    assert (await talk.ended(turn_id))["type"] == "chat/turnComplete"
    return call_in(talk.turn(turn_id))


def call_in(turn: Mapping[str, Any]) -> Message:
    """The tool call of a turn."""
    found: Message = next(part["toolCall"] for part in turn["responseParts"] if part["kind"] == "toolCall")
    return found
