"""How do tests talk to the practice agent over a socket, without waiting where the test is about not waiting?"""

from __future__ import annotations

from typing import Any

from tests.client import Client, Message
from tests.interaction.conversation import begin, end_of, turn_cancelled, turn_started


async def open_session(client: Client, **more: Any) -> tuple[str, str]:
    """A session that is ready and its default chat, both subscribed."""
    talk = await begin(client, **more)
    return talk.session, talk.chat


async def start(client: Client, chat: str, text: str) -> str:
    """Dispatch a turn; returns its id."""
    action = turn_started(text)
    await client.dispatch(chat, action)
    turn_id: str = action["turnId"]
    return turn_id


async def cancel(client: Client, chat: str, turn_id: str) -> int:
    """Dispatch the cancellation of a turn."""
    return await client.dispatch(chat, turn_cancelled(turn_id))


async def ended(client: Client, chat: str, turn_id: str, within_s: float = 30) -> Message:
    """Wait for the end of a turn; the turn as the host has it then."""
    await end_of(client, chat, turn_id, within_s)
    turns = (await client.subscribe(chat))["state"]["turns"]
    return next(turn for turn in turns if turn["id"] == turn_id)


async def say(client: Client, chat: str, text: str) -> Message:
    """One turn from its start to its end."""
    return await ended(client, chat, await start(client, chat, text))


def calls_of(turn: Message) -> list[Message]:
    """A turn's tool calls."""
    return [part["toolCall"] for part in turn["responseParts"] if part["kind"] == "toolCall"]
