"""Do snapshots and streams join?"""

from __future__ import annotations

import asyncio
import random

import pytest

from tests.client import ROOT, Client
from tests.conftest import Connect
from tests.interaction.conftest import Agrees
from tests.interaction.conversation import (
    BUSY,
    Talk,
    accepted,
    begin,
    new_chat,
    state_of,
    text_of,
    turn_cancelled,
    turn_started,
)
from tests.interaction.requirements import covers


@covers("subscriptions.joins")
async def test_a_turn_is_in_the_snapshot_or_follows_it(talk: Talk, connect: Connect) -> None:
    onlooker = await connect("bob")
    for number in range(200):
        turn_id = f"turn-{number}"
        asked = await onlooker.start("subscribe", {"channel": talk.chat})
        await talk.client.dispatch(talk.chat, turn_started("wait 60000", turn_id))
        snapshot = (await onlooker.reply(asked))["snapshot"]
        if snapshot["state"].get("activeTurn", {}).get("id") != turn_id:
            envelope = await onlooker.action(talk.chat, "chat/turnStarted", turnId=turn_id)
            assert envelope["serverSeq"] > snapshot["fromSeq"]
        await talk.cancel(turn_id)
    assert [turn["state"] for turn in talk.chat_state["turns"]] == ["cancelled"] * 200


@covers("subscriptions.joins", "subscriptions.again", "actions.converge")
async def test_readers_who_come_and_go_within_a_stream_have_its_text(
    talk: Talk, connect: Connect, agrees: Agrees
) -> None:
    turn_id = await talk.start("stream 2000 12 1")
    readers = [await connect("bob") for _ in range(12)]
    await asyncio.gather(*(come_and_go(reader, talk.chat, random.Random(n)) for n, reader in enumerate(readers)))
    await talk.ended(turn_id, within_s=45)
    for reader in readers:
        await agrees(reader, talk.chat)
        assert text_of(state_of(reader, talk.chat)["turns"][-1]) == text_of(talk.turn(turn_id))
    assert text_of(talk.turn(turn_id)).startswith("00000000 ...00000001 ...")


async def come_and_go(reader: Client, chat: str, chance: random.Random) -> None:
    """Subscribe again and again, each time for some deltas; stay in the end."""
    for _ in range(12):
        since = len(reader.envelopes)
        await reader.subscribe(chat)
        wanted = since + chance.randrange(1, 20)
        await reader.until(lambda n=wanted: len(reader.envelopes) >= n or ended(reader), "some deltas")  # type: ignore[misc]
        if chance.random() < 0.5:
            await reader.notify("unsubscribe", {"channel": chat})
    await reader.subscribe(chat)


def ended(reader: Client) -> bool:
    """Whether nothing more will come."""
    return any(one["action"]["type"] == "chat/turnComplete" for one in reader.envelopes)


@covers("subscriptions.rising")
async def test_numbers_rise_over_all_channels(connect: Connect) -> None:
    writers = [await begin(await connect(user)) for user in ("alice", "bob", "alice")]
    everything = [ROOT, *(uri for talk in writers for uri in (talk.session, talk.chat))]
    onlooker = await connect("bob", *everything)
    await asyncio.gather(*(talk.say("stream 60 10\nsay and some words") for talk in writers))
    await accepted(onlooker, writers[0].session, {"type": "session/isReadChanged", "isRead": True})
    numbers = [one["serverSeq"] for one in onlooker.envelopes]
    assert numbers == sorted(set(numbers))
    assert {one["channel"] for one in onlooker.envelopes} >= set(everything[1:])


@covers("subscriptions.again")
async def test_subscribing_again_replaces_the_options(talk: Talk) -> None:
    for text in ("say one", "say two", "say three"):
        await talk.say(text)
    windowed = await talk.client.subscribe(talk.chat, view={"turns": 1})
    assert len(windowed["state"]["turns"]) == 1
    whole = await talk.client.subscribe(talk.chat)
    assert [text_of(turn) for turn in whole["state"]["turns"]] == ["one", "two", "three"]
    assert "turnsNextCursor" not in whole["state"]
    since = len(talk.client.envelopes)
    turn_id = await talk.start("say four")
    await talk.ended(turn_id)
    starts = [one for one in talk.client.envelopes[since:] if one["action"]["type"] == "chat/turnStarted"]
    assert len(starts) == 1


@covers("subscriptions.unknown")
@pytest.mark.parametrize(
    ("uri", "code"),
    [
        ("ahp-session:/none", -32001),
        ("ahp-chat:/none", -32008),
        ("ahp-terminal:/none", -32008),
        ("nothing", -32008),
        ("", -32008),
    ],
)
async def test_an_unknown_channel_is_not_found(connect: Connect, uri: str, code: int) -> None:
    assert (await (await connect()).refused("subscribe", {"channel": uri})).code == code


@covers("subscriptions.end")
async def test_after_unsubscribe_nothing_arrives(talk: Talk, connect: Connect) -> None:
    bob = await talk.joined_by(await connect("bob"))
    turn_id = await talk.start("stream 300 16 2")
    await bob.action("chat/delta")
    await bob.client.notify("unsubscribe", {"channel": talk.chat})
    await bob.client.request("listSessions", {"limit": 1})
    since = len(bob.client.envelopes)
    await talk.cancel(turn_id)
    # The session, which bob still follows, tells him that the turn is over.
    await bob.client.action(talk.session, "session/chatUpdated", since=since)
    await bob.client.fence()
    assert [one for one in bob.client.envelopes[since:] if one["channel"] == talk.chat] == []


@covers("subscriptions.end")
async def test_unsubscribing_what_one_has_not_is_nothing(talk: Talk) -> None:
    for uri in (talk.session, talk.session, new_chat(), ROOT):
        await talk.client.notify("unsubscribe", {"channel": uri})
    turn_id = await talk.start(BUSY)
    await accepted(talk.client, talk.chat, turn_cancelled(turn_id))
