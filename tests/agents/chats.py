"""How do tests talk to the practice agent over a socket?"""

from __future__ import annotations

import uuid
from typing import Any

from tests.client import Client, Message

ENDS = ("chat/turnComplete", "chat/turnCancelled", "chat/error")


def user(text: str) -> Message:
    """A message of a person."""
    return {"text": text, "origin": {"kind": "user"}}


async def open_session(client: Client, provider: str = "demo", **more: Any) -> tuple[str, str]:
    """A session that is ready and its default chat, both subscribed."""
    session = f"ahp-session:/{uuid.uuid4()}"
    await client.request("createSession", {"channel": session, "provider": provider, **more})
    state = (await client.subscribe(session))["state"]
    if state["lifecycle"] != "ready":
        await client.action(session, "session/ready", within_s=30)
    chat: str = state["chats"][0]["resource"]
    await client.subscribe(chat)
    return session, chat


async def start(client: Client, chat: str, text: str) -> str:
    """Dispatch a turn; returns its id."""
    turn_id = str(uuid.uuid4())
    started = {"type": "chat/turnStarted", "turnId": turn_id, "startedAt": "2026-01-01T00:00:00.000Z"}
    await client.dispatch(chat, {**started, "message": user(text)})
    return turn_id


async def cancel(client: Client, chat: str, turn_id: str) -> int:
    """Dispatch the cancellation of a turn."""
    return await client.dispatch(chat, {"type": "chat/turnCancelled", "turnId": turn_id, "duration": 1})


async def ended(client: Client, chat: str, turn_id: str, within_s: float = 30) -> Message:
    """Wait for the end of a turn; its final state."""

    def end() -> Message | None:
        for envelope in client.envelopes:
            action = envelope["action"]
            if envelope["channel"] == chat and action["type"] in ENDS and action["turnId"] == turn_id:
                return envelope if "rejectionReason" not in envelope else None
        return None

    await client.until(end, f"the end of turn {turn_id}", within_s)
    turns = (await client.subscribe(chat))["state"]["turns"]
    return next(turn for turn in turns if turn["id"] == turn_id)


async def say(client: Client, chat: str, text: str) -> Message:
    """One turn from its start to its end."""
    return await ended(client, chat, await start(client, chat, text))


def text_of(turn: Message) -> str:
    """What a turn says."""
    return "".join(part["content"] for part in turn["responseParts"] if part["kind"] == "markdown")


def calls_of(turn: Message) -> list[Message]:
    """A turn's tool calls."""
    return [part["toolCall"] for part in turn["responseParts"] if part["kind"] == "toolCall"]
