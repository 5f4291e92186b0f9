"""How does a turn run and end?"""

from __future__ import annotations

import asyncio

import pytest

from tests.client import Message
from tests.conftest import Connect
from tests.interaction.conftest import Agrees
from tests.interaction.conversation import (
    BUSY,
    ENDS,
    Talk,
    accepted,
    end_of,
    refusal,
    text_of,
    turn_cancelled,
    turn_started,
    user,
)
from tests.interaction.requirements import covers


@covers("chats.stream", "chats.end")
async def test_text_is_a_part_that_grows(talk: Talk, agrees: Agrees) -> None:
    turn_id = await talk.start("say one two three\nthink hard\nusage 12 34")
    ending = await talk.ended(turn_id)
    assert (ending["type"], ending["duration"] >= 0) == ("chat/turnComplete", True)
    told = [one["action"] for one in talk.client.envelopes if one["channel"] == talk.chat]
    part = next(action["part"] for action in told if action["type"] == "chat/responsePart")
    assert part["content"] == ""
    grown = [action["content"] for action in told if action.get("partId") == part["id"]]
    assert ("".join(grown), len(grown)) == ("one two three", 3)
    turn = talk.turn(turn_id)
    assert [one["kind"] for one in turn["responseParts"]] == ["markdown", "reasoning", "markdown"]
    assert turn["usage"].items() >= {"inputTokens": 12, "outputTokens": 34}.items()
    assert turn["duration"] == ending["duration"]
    await agrees(talk.client, talk.chat, talk.session)


@covers("chats.one-turn")
async def test_a_second_turn_is_refused_while_one_is_active(talk: Talk, connect: Connect) -> None:
    bob = await talk.joined_by(await connect("bob"))
    turn_id = await talk.start(BUSY)
    for client in (talk.client, bob.client):
        assert await refusal(client, talk.chat, turn_started("say too much"))
    await talk.cancel(turn_id)
    assert await refusal(bob.client, talk.chat, turn_started("say again", turn_id))
    assert await refusal(bob.client, talk.chat, turn_started("say nameless") | {"turnId": ""})
    assert text_of(await talk.say("say now")) == "now"


@covers("chats.one-turn")
async def test_of_two_who_start_at_once_one_is_heard(talk: Talk, connect: Connect) -> None:
    bob = await talk.joined_by(await connect("bob"))
    for number in range(20):
        clients = (talk.client, bob.client)
        started = [await c.dispatch(talk.chat, turn_started(BUSY, f"{number}-{i}")) for i, c in enumerate(clients)]
        echoes = [await client.echo(one) for client, one in zip(clients, started, strict=True)]
        (winner,) = [one for one in echoes if "rejectionReason" not in one]
        await talk.cancel(winner["action"]["turnId"])


@covers("chats.one-turn")
@pytest.mark.parametrize("kind", ["agent", "tool", "systemNotification", "somebody"])
async def test_a_client_speaks_as_its_user(talk: Talk, kind: str) -> None:
    message = {"text": "say hello", "origin": {"kind": kind}}
    assert await refusal(talk.client, talk.chat, turn_started("") | {"message": message})
    pending = {"type": "chat/pendingMessageSet", "kind": "queued", "id": "q", "message": message}
    assert await refusal(talk.client, talk.chat, pending)
    assert await refusal(talk.client, talk.chat, {"type": "chat/draftChanged", "draft": message})


@covers("chats.end")
@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("say fine", "chat/turnComplete"),
        ("", "chat/turnComplete"),
        ("\n\n", "chat/turnComplete"),
        ("fail on purpose", "chat/error"),
        ("stream many", "chat/error"),
        ("tool", "chat/error"),
        ("say one\nfail after it", "chat/error"),
        ("client noSuchTool {}", "chat/turnComplete"),
    ],
)
async def test_every_turn_ends_once(talk: Talk, text: str, kind: str) -> None:
    turn_id = await talk.start(text)
    assert (await talk.ended(turn_id))["type"] == kind
    await talk.say("say next")
    ends = [one["action"] for one in talk.client.envelopes if one["action"]["type"] in ENDS]
    assert [action["type"] for action in ends if action["turnId"] == turn_id] == [kind]
    if kind == "chat/error":
        assert talk.turn(turn_id)["error"]["message"]


@covers("chats.cancel", "chats.end")
async def test_nothing_of_a_cancelled_turn_follows(talk: Talk, connect: Connect, agrees: Agrees) -> None:
    bob = await talk.joined_by(await connect("bob"))
    for number in range(5):
        old, new = f"old-{number}", f"new-{number}"
        await talk.client.dispatch(talk.chat, turn_started("stream 5000 16 1", old))
        await bob.action("chat/delta", turnId=old)
        await bob.client.dispatch(talk.chat, turn_cancelled(old))
        await bob.client.dispatch(talk.chat, turn_started("say clean", new))
        await end_of(bob.client, talk.chat, new)
        assert text_of(bob.turn(new)) == "clean"
        told = [one["action"] for one in bob.client.envelopes if one["channel"] == talk.chat]
        end = next(
            i for i, action in enumerate(told) if action["type"] == "chat/turnCancelled" and action["turnId"] == old
        )
        assert [action for action in told[end + 1 :] if action.get("turnId") == old] == []
        assert bob.turn(old)["state"] == "cancelled"
    await agrees(bob.client, talk.chat, talk.session)


@covers("chats.cancel")
async def test_started_and_cancelled_back_to_back_is_always_cancelled(talk: Talk) -> None:
    for number in range(200):
        await talk.client.dispatch(talk.chat, turn_started("stream 500 16", f"turn-{number}"))
        last = await talk.client.dispatch(talk.chat, turn_cancelled(f"turn-{number}"))
    assert "rejectionReason" not in await talk.client.echo(last)
    assert [turn["state"] for turn in talk.chat_state["turns"]] == ["cancelled"] * 200
    assert "activeTurn" not in talk.chat_state
    assert text_of(await talk.say("say alive")) == "alive"


@covers("chats.cancel")
async def test_cancelling_touches_no_other_chat(talk: Talk) -> None:
    other = await talk.another_chat()
    goes_on = await other.start("stream 200 16 2")
    cancelled = await talk.start("stream 5000 16 2")
    await talk.action("chat/delta", turnId=cancelled)
    await talk.cancel(cancelled)
    assert (await other.ended(goes_on))["type"] == "chat/turnComplete"
    assert len(text_of(other.turn(goes_on))) == 200 * 16


@covers("chats.cancel")
async def test_only_the_active_turn_can_be_cancelled(talk: Talk) -> None:
    assert await refusal(talk.client, talk.chat, turn_cancelled("none"))
    turn_id = await talk.start(BUSY)
    assert await refusal(talk.client, talk.chat, turn_cancelled("another"))
    await talk.cancel(turn_id)
    assert await refusal(talk.client, talk.chat, turn_cancelled(turn_id))


@covers("chats.open-calls")
@pytest.mark.parametrize("text", ["tool never.txt text", "ask Which?"])
@pytest.mark.parametrize("how", ["cancel", "truncate", "dispose chat"])
async def test_the_end_of_a_turn_releases_who_waits(talk: Talk, connect: Connect, text: str, how: str) -> None:
    bob = await talk.joined_by(await connect("bob"))
    turn_id = await talk.start(text)
    needed = (await bob.client.action(talk.session, "session/inputNeededSet"))["action"]["request"]
    answer = answer_to(needed, turn_id)
    if how == "dispose chat":
        await talk.client.request("disposeChat", {"channel": talk.chat})
    else:
        await accepted(
            talk.client, talk.chat, turn_cancelled(turn_id) if how == "cancel" else {"type": "chat/truncated"}
        )
    await bob.client.action(talk.session, "session/inputNeededRemoved", id=needed["id"])
    assert "inputNeeded" not in bob.session_state
    if how == "dispose chat":
        return
    assert await refusal(bob.client, talk.chat, answer)
    if how == "cancel":
        (part,) = talk.turn(turn_id)["responseParts"]
        skipped = part.get("toolCall", {}).get("status"), part.get("toolCall", {}).get("reason")
        assert skipped == ("cancelled", "skipped") if text.startswith("tool") else "response" not in part
    assert text_of(await talk.say("say free")) == "free"


def answer_to(request: Message, turn_id: str) -> Message:
    """What would have answered a block."""
    if request["kind"] == "chatInput":
        return {"type": "chat/inputCompleted", "requestId": request["request"]["id"], "response": "decline"}
    call = {"turnId": turn_id, "toolCallId": request["toolCall"]["toolCallId"]}
    return {"type": "chat/toolCallConfirmed", **call, "approved": True, "confirmed": "user-action"}


@covers("chats.truncate", "actions.converge")
async def test_truncation_keeps_the_turns_through_the_named_one(talk: Talk, connect: Connect, agrees: Agrees) -> None:
    bob = await talk.joined_by(await connect("bob"))
    turns = [await talk.say(f"say {word}") for word in ("one", "two", "three")]
    running = await talk.start("stream 5000 16 1")
    await bob.action("chat/delta", turnId=running)
    await accepted(bob.client, talk.chat, {"type": "chat/truncated", "turnId": turns[1]["id"]})
    assert bob.chat_state["turns"] == turns[:2]
    assert "activeTurn" not in bob.chat_state
    assert text_of(await bob.say("say three again")) == "three again"
    assert await refusal(talk.client, talk.chat, {"type": "chat/truncated", "turnId": turns[2]["id"]})
    cut = next(i for i, one in enumerate(bob.client.envelopes) if one["action"]["type"] == "chat/truncated")
    assert [one for one in bob.client.envelopes[cut:] if one["action"].get("turnId") == running] == []
    await agrees(bob.client, talk.chat, talk.session)
    await accepted(talk.client, talk.chat, {"type": "chat/truncated"})
    assert talk.chat_state["turns"] == []
    await agrees(talk.client, talk.chat, talk.session)


@covers("chats.end")
async def test_many_chats_work_at_once(talk: Talk) -> None:
    chats = [await talk.another_chat() for _ in range(8)]
    turns = [await chat.start(f"say I am {number}") for number, chat in enumerate(chats)]
    await asyncio.gather(*(chat.ended(turn_id) for chat, turn_id in zip(chats, turns, strict=True)))
    texts = [text_of(chat.turn(turn_id)) for chat, turn_id in zip(chats, turns, strict=True)]
    assert texts == [f"I am {number}" for number in range(8)]
    assert user("say I am 3") == chats[3].turn(turns[3])["message"]
