"""How does a person talk to an agent? A session, one of its chats, and the client that follows both."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from tests.client import WAIT_S, Client, Message
from tests.interaction.mirror import Mirror, State

ENDS = frozenset({"chat/turnComplete", "chat/turnCancelled", "chat/error"})

# Keeps a turn busy until it is answered or cancelled, without costing anything.
BUSY = "ask"


def new_session() -> str:
    """A session URI that nobody has used."""
    return f"ahp-session:/{uuid.uuid4()}"


def new_chat() -> str:
    """A chat URI that nobody has used."""
    return f"ahp-chat:/{uuid.uuid4()}"


def user(text: str, **more: Any) -> Message:
    """A `Message` of the user."""
    return {"text": text, "origin": {"kind": "user"}, **more}


def turn_started(text: str, turn_id: str | None = None, **more: Any) -> Message:
    """The action that starts a turn; `more` goes into its message."""
    started_at = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    message = user(text, **more)
    return {
        "type": "chat/turnStarted",
        "turnId": turn_id or str(uuid.uuid4()),
        "startedAt": started_at,
        "message": message,
    }


def turn_cancelled(turn_id: str) -> Message:
    """The action that cancels a turn."""
    return {"type": "chat/turnCancelled", "turnId": turn_id, "duration": 0}


def state_of(client: Client, uri: str) -> State:
    """The state of a channel, as the client knows it by now."""
    return Mirror().take(client.frames).states[uri]


def text_of(turn: Mapping[str, Any]) -> str:
    """What was said in a turn."""
    return "".join(part["content"] for part in turn["responseParts"] if part["kind"] == "markdown")


async def refusal(client: Client, channel: str, action: Message) -> str:
    """Dispatch what must be refused: the reason. Whatever is refused comes back as it was, without a number."""
    since = max((envelope["serverSeq"] for envelope in client.envelopes), default=0)
    envelope = await client.echo(await client.dispatch(channel, action))
    assert "rejectionReason" in envelope, f"accepted: {action}"
    assert (envelope["channel"], envelope["action"]) == (channel, action)
    assert envelope["serverSeq"] >= since
    reason: str = envelope["rejectionReason"]
    return reason


async def accepted(client: Client, channel: str, action: Message) -> Message:
    """Dispatch what must be accepted: its envelope."""
    envelope = await client.echo(await client.dispatch(channel, action))
    assert "rejectionReason" not in envelope, envelope["rejectionReason"]
    return envelope


@dataclass(frozen=True)
class Talk:
    """A client, a session that it follows, and one of the session's chats."""

    client: Client
    session: str
    chat: str

    @property
    def session_state(self) -> State:
        """The session, as the client knows it."""
        return state_of(self.client, self.session)

    @property
    def chat_state(self) -> State:
        """The chat, as the client knows it."""
        return state_of(self.client, self.chat)

    def turn(self, turn_id: str) -> Mapping[str, Any]:
        """A turn of the chat that has ended."""
        found: Mapping[str, Any] = next(turn for turn in self.chat_state["turns"] if turn["id"] == turn_id)
        return found

    async def start(self, text: str, **more: Any) -> str:
        """Start a turn, which is accepted: its id."""
        action = turn_started(text, **more)
        await accepted(self.client, self.chat, action)
        turn_id: str = action["turnId"]
        return turn_id

    async def ended(self, turn_id: str, within_s: float = WAIT_S) -> Message:
        """Wait for the end of a turn: the action that ended it."""
        return await end_of(self.client, self.chat, turn_id, within_s)

    async def say(self, text: str, **more: Any) -> Mapping[str, Any]:
        """A whole turn that completes."""
        turn_id = await self.start(text, **more)
        ending = await self.ended(turn_id)
        assert ending["type"] == "chat/turnComplete", ending
        return self.turn(turn_id)

    async def cancel(self, turn_id: str) -> None:
        """Cancel a turn."""
        await accepted(self.client, self.chat, turn_cancelled(turn_id))

    async def action(self, type_: str, **match: Any) -> Message:
        """Wait for an action of the chat."""
        envelope = await self.client.action(self.chat, type_, **match)
        found: Message = envelope["action"]
        return found

    async def joined_by(self, client: Client) -> Talk:
        """The same conversation, followed by another client too."""
        await client.subscribe(self.session)
        await client.subscribe(self.chat)
        return Talk(client, self.session, self.chat)

    async def another_chat(self, **params: Any) -> Talk:
        """A further chat of the session, subscribed."""
        chat = new_chat()
        await self.client.request("createChat", {"channel": self.session, "chat": chat, **params})
        await self.client.subscribe(chat)
        return Talk(self.client, self.session, chat)


async def begin(client: Client, session: str | None = None, **params: Any) -> Talk:
    """Create a session and follow it and its default chat, until it is ready."""
    uri = session or new_session()
    assert await client.request("createSession", {"channel": uri, "provider": "demo", **params}) is None
    state = (await client.subscribe(uri))["state"]
    if state["lifecycle"] == "creating":
        await client.action(uri, "session/ready")
    chat = state["defaultChat"]
    await client.subscribe(chat)
    return Talk(client, uri, chat)


async def end_of(client: Client, chat: str, turn_id: str, within_s: float = WAIT_S) -> Message:
    """Wait for the end of a turn: the action that ended it."""

    def ending() -> Message | None:
        for envelope in client.envelopes:
            action: Message = envelope["action"]
            here = envelope["channel"] == chat and "rejectionReason" not in envelope
            if here and action["type"] in ENDS and action["turnId"] == turn_id:
                return action
        return None

    return await client.until(ending, f"the end of turn {turn_id}", within_s)
