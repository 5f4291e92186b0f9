"""What happens to messages that wait?"""

from __future__ import annotations

from tests.client import Message
from tests.conftest import Connect
from tests.interaction.conftest import Agrees
from tests.interaction.conversation import BUSY, Talk, accepted, refusal, text_of, user
from tests.interaction.requirements import covers


def pending(kind: str, id: str, text: str) -> Message:
    """The action that lets a message wait."""
    return {"type": "chat/pendingMessageSet", "kind": kind, "id": id, "message": user(text)}


def removed(kind: str, id: str) -> Message:
    """The action that takes it back."""
    return {"type": "chat/pendingMessageRemoved", "kind": kind, "id": id}


async def started_from(talk: Talk, queued_id: str) -> str:
    """Wait until a queued message has become a turn: its id."""
    turn_id: str = (await talk.action("chat/turnStarted", queuedMessageId=queued_id))["turnId"]
    return turn_id


@covers("chats.queue", "actions.converge")
async def test_queued_messages_start_in_their_order(talk: Talk, connect: Connect, agrees: Agrees) -> None:
    bob = await talk.joined_by(await connect("bob"))
    busy = await talk.start(BUSY)
    for name in ("one", "two", "three"):
        await accepted(bob.client, talk.chat, pending("queued", name, f"say {name}"))
        await talk.action("chat/pendingMessageSet", id=name)
    assert [message["id"] for message in talk.chat_state["queuedMessages"]] == ["one", "two", "three"]
    await agrees(talk.client, talk.chat)
    await talk.cancel(busy)
    turns = [await started_from(bob, name) for name in ("one", "two", "three")]
    await bob.ended(turns[-1])
    assert [text_of(bob.turn(turn_id)) for turn_id in turns] == ["one", "two", "three"]
    told = [one["action"] for one in bob.client.envelopes if one["channel"] == talk.chat]
    for name in ("one", "two", "three"):
        start = next(i for i, action in enumerate(told) if action.get("queuedMessageId") == name)
        assert told[start - 1] == removed("queued", name)
    assert "queuedMessages" not in bob.chat_state
    await agrees(bob.client, talk.chat, talk.session)


@covers("chats.queue")
async def test_a_message_queued_in_an_idle_chat_starts_at_once(talk: Talk) -> None:
    await accepted(talk.client, talk.chat, pending("queued", "now", "say at once"))
    turn_id = await started_from(talk, "now")
    await talk.ended(turn_id)
    assert text_of(talk.turn(turn_id)) == "at once"


@covers("chats.queue")
async def test_the_queue_goes_on_after_an_error_and_after_truncation(talk: Talk) -> None:
    busy = await talk.start(BUSY)
    for name, text in (("bad", "fail on purpose"), ("good", "say good"), ("better", "ask")):
        await accepted(talk.client, talk.chat, pending("queued", name, text))
    await talk.cancel(busy)
    assert (await talk.ended(await started_from(talk, "bad")))["type"] == "chat/error"
    assert (await talk.ended(await started_from(talk, "good")))["type"] == "chat/turnComplete"
    await started_from(talk, "better")
    await accepted(talk.client, talk.chat, pending("queued", "last", "say last"))
    await accepted(talk.client, talk.chat, {"type": "chat/truncated"})
    assert (await talk.ended(await started_from(talk, "last")))["type"] == "chat/turnComplete"
    assert [text_of(turn) for turn in talk.chat_state["turns"]] == ["last"]


@covers("chats.queue", "chats.pending")
async def test_the_queue_can_be_changed_while_it_waits(talk: Talk, connect: Connect, agrees: Agrees) -> None:
    bob = await talk.joined_by(await connect("bob"))
    busy = await talk.start(BUSY)
    for name in ("a", "b", "c"):
        await accepted(talk.client, talk.chat, pending("queued", name, f"say {name}"))
    await accepted(bob.client, talk.chat, {"type": "chat/queuedMessagesReordered", "order": ["c", "gone", "a"]})
    await accepted(bob.client, talk.chat, pending("queued", "a", "say a anew"))
    await accepted(talk.client, talk.chat, removed("queued", "b"))
    assert [message["id"] for message in talk.chat_state["queuedMessages"]] == ["c", "a"]
    await agrees(bob.client, talk.chat)
    for wrong in (
        removed("queued", "b"),
        removed("steering", "a"),
        removed("queued", "none"),
        pending("queued", "", "x"),
    ):
        assert await refusal(bob.client, talk.chat, wrong)
    await talk.cancel(busy)
    await talk.ended(await started_from(talk, "a"))
    assert [text_of(turn) for turn in talk.chat_state["turns"][1:]] == ["c", "a anew"]


@covers("chats.steer", "actions.converge")
async def test_a_steering_message_goes_into_the_running_turn(talk: Talk, connect: Connect, agrees: Agrees) -> None:
    bob = await talk.joined_by(await connect("bob"))
    turn_id = await talk.start("ask")
    request = (await talk.action("chat/inputRequested"))["request"]
    await accepted(bob.client, talk.chat, pending("steering", "wheel", "say steered"))
    await bob.action("chat/pendingMessageRemoved", kind="steering", id="wheel")
    assert "steeringMessage" not in bob.chat_state
    await accepted(
        bob.client, talk.chat, {"type": "chat/inputCompleted", "requestId": request["id"], "response": "cancel"}
    )
    await talk.ended(turn_id)
    assert text_of(talk.turn(turn_id)).endswith("steered")
    assert len(talk.chat_state["turns"]) == 1
    await agrees(talk.client, talk.chat, talk.session)


@covers("chats.steer", "chats.pending")
async def test_a_steering_message_waits_while_nothing_runs(talk: Talk) -> None:
    await accepted(talk.client, talk.chat, pending("steering", "wheel", "say steered too"))
    await talk.client.fence()
    assert talk.chat_state["steeringMessage"]["id"] == "wheel"
    assert talk.chat_state["turns"] == []
    await accepted(talk.client, talk.chat, removed("steering", "wheel"))
    assert await refusal(talk.client, talk.chat, removed("steering", "wheel"))
    await accepted(talk.client, talk.chat, pending("steering", "second", "say steered later"))
    turn_id = await talk.start("say first\nwait 200")
    await talk.action("chat/pendingMessageRemoved", kind="steering", id="second")
    await talk.ended(turn_id)
    assert text_of(talk.turn(turn_id)).startswith("first")
    assert text_of(talk.turn(turn_id)).endswith("steered later")
