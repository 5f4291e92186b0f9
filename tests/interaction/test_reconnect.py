"""What does a client find that was away?"""

from __future__ import annotations

from functools import partial

import pytest

from tests.client import ROOT, Client, Message
from tests.conftest import Connect
from tests.interaction.conversation import BUSY, Talk, accepted, begin, new_chat, new_session, text_of
from tests.interaction.mirror import Mirror, comparable
from tests.interaction.requirements import covers


def of(client: Client, *channels: str, above: int = 0) -> list[Message]:
    """The envelopes of these channels that the client received."""
    return [one for one in client.envelopes if one["channel"] in channels and one["serverSeq"] > above]


def last_seen(client: Client) -> int:
    """The highest number that the client was told."""
    return Mirror().take(client.frames).last


async def back(connect: Connect, client: Client) -> Client:
    """The same client on a new socket, which has said nothing yet."""
    return await connect("alice", client_id=client.client_id, initialize=False)


@covers("reconnect.replay", "actions.converge")
async def test_what_was_missed_is_replayed_whole_and_in_order(talk: Talk, connect: Connect) -> None:
    alice, bob = talk.client, await talk.joined_by(await connect("bob"))
    elsewhere = await begin(bob.client)
    seen, known = last_seen(alice), Mirror().take(alice.frames).states
    alice.cut()
    await alice.until_closed()
    for text in ("say while you were away", "think about it", "usage 10 20"):
        await bob.say(text)
        await elsewhere.say("say not for you")
    again = await back(connect, alice)
    reply = await again.reconnect(seen, talk.session, talk.chat)
    await bob.client.fence()
    assert reply["type"] == "replay"
    assert reply["missing"] == []
    assert reply["actions"] == of(bob.client, talk.session, talk.chat, above=seen)
    await bob.say("say live again")
    await again.action(talk.chat, "chat/turnComplete")
    await again.fence()
    now, fresh = Mirror(known).take(again.frames).states, Mirror().take((await connect("bob", talk.chat)).frames).states
    assert comparable(now[talk.chat]) == comparable(fresh[talk.chat])


@covers("reconnect.replay")
async def test_a_replay_from_any_number_is_exactly_what_came_later(talk: Talk, connect: Connect) -> None:
    born = last_seen(talk.client)
    await talk.say("say some words\nthink of more\nstream 30")
    await talk.client.fence()
    everything = of(talk.client, talk.session, talk.chat, above=born)
    client = await back(connect, talk.client)
    for seen in range(born, everything[-1]["serverSeq"] + 1, 3):
        reply = await client.reconnect(seen, talk.session, talk.chat)
        assert reply["actions"] == [one for one in everything if one["serverSeq"] > seen]


@covers("reconnect.joins")
async def test_a_stream_goes_on_over_cuts_without_a_hole_or_a_repeat(talk: Talk, connect: Connect) -> None:
    turn_id = await talk.start("stream 600 16 2")
    client, heard, seen = talk.client, list[str](), 0
    for _ in range(5):
        await client.until(partial(heard_some, client, seen, 60), "60 more deltas")
        client.cut()
        await client.until_closed()
        heard += deltas(client, seen)
        seen = max(seen, *(one["serverSeq"] for one in everything_of(client)))
        client = await back(connect, client)
        assert (await client.reconnect(seen, talk.chat, talk.session))["type"] == "replay"
    await client.until(lambda: ended(client), "the end of the stream")
    heard += deltas(client, seen)
    assert "".join(heard) == "".join(f"{i:08} ......." for i in range(600))
    state = (await client.subscribe(talk.chat))["state"]
    assert text_of(next(turn for turn in state["turns"] if turn["id"] == turn_id)) == "".join(heard)


def everything_of(client: Client) -> list[Message]:
    """Replayed and live envelopes."""
    replayed = [one for frame in client.frames for one in (frame.get("result") or {}).get("actions", ())]
    return [*replayed, *client.envelopes]


def deltas(client: Client, seen: int) -> list[str]:
    """The text that a client heard above a number."""
    told = [one for one in everything_of(client) if one["serverSeq"] > seen]
    assert [one["serverSeq"] for one in told] == sorted({one["serverSeq"] for one in told})
    return [one["action"]["content"] for one in told if one["action"]["type"] == "chat/delta"]


def ended(client: Client) -> bool:
    """Whether the client heard of the end of the turn."""
    return any(one["action"]["type"] == "chat/turnComplete" for one in everything_of(client))


def heard_some(client: Client, seen: int, wanted: int) -> bool:
    """Whether so many deltas came above a number, or no more will come."""
    return ended(client) or len(deltas(client, seen)) >= wanted


@covers("reconnect.missing")
async def test_channels_that_are_gone_are_named_as_missing(talk: Talk, connect: Connect) -> None:
    gone, never = await begin(talk.client), new_chat()
    side = await talk.another_chat()
    seen = last_seen(talk.client)
    await talk.client.request("disposeSession", {"channel": gone.session})
    await talk.client.request("disposeChat", {"channel": side.chat})
    again = await back(connect, talk.client)
    wanted = (talk.chat, gone.session, gone.chat, side.chat, never)
    reply = await again.reconnect(seen, *wanted)
    assert reply["type"] == "replay"
    assert sorted(reply["missing"]) == sorted(wanted[1:])


@covers("reconnect.missing", "who.private")
async def test_a_session_that_became_private_is_missing(talk: Talk, connect: Connect) -> None:
    bob = await talk.joined_by(await connect("bob"))
    seen = last_seen(bob.client)
    await bob.client.close()
    await accepted(talk.client, talk.session, {"type": "session/configChanged", "config": {"visibility": "private"}})
    again = await connect("bob", client_id=bob.client.client_id, initialize=False)
    reply = await again.reconnect(seen, ROOT, talk.session, talk.chat)
    assert sorted(reply["missing"]) == sorted([talk.session, talk.chat])
    assert {one["channel"] for one in reply["actions"]} <= {ROOT}


@covers("reconnect.too-new")
@pytest.mark.parametrize("ahead", [1, 1_000_000, 2**52])
async def test_a_number_from_the_future_gets_snapshots(talk: Talk, connect: Connect, ahead: int) -> None:
    await talk.client.fence()
    now = (await talk.client.subscribe(talk.chat))["fromSeq"]
    again = await back(connect, talk.client)
    reply = await again.reconnect(now + ahead + 1_000, talk.chat, talk.session)
    assert reply["type"] == "snapshot"
    assert {one["resource"] for one in reply["snapshots"]} == {talk.chat, talk.session}
    turn_id = await talk.start(BUSY)
    await again.action(talk.chat, "chat/turnStarted", turnId=turn_id)
    await talk.cancel(turn_id)


@covers("reconnect.no-notices")
async def test_notifications_are_not_replayed(connect: Connect) -> None:
    alice = await connect("alice", ROOT)
    seen = last_seen(alice)
    await alice.close()
    missed = await begin(await connect("bob"))
    again = await back(connect, alice)
    reply = await again.reconnect(seen, ROOT)
    assert {one["action"]["type"] for one in reply["actions"]} <= {"root/activeSessionsChanged"}
    present = await begin(await connect("bob"))
    added = await again.notification("root/sessionAdded")
    assert added["summary"]["resource"] == present.session
    assert missed.session in [one["resource"] for one in (await again.request("listSessions"))["items"]]


@covers("reconnect.stranger")
async def test_a_stranger_gets_real_answers(talk: Talk, connect: Connect) -> None:
    now = (await talk.client.subscribe(talk.chat))["fromSeq"]
    for seen in (0, now):
        stranger = await connect("bob", initialize=False)
        never = new_session()
        reply = await stranger.reconnect(seen, talk.chat, never)
        assert reply["type"] == "snapshot"
        assert [one["resource"] for one in reply["snapshots"]] == [talk.chat]
        await accepted(
            stranger, talk.chat, {"type": "chat/draftChanged", "draft": {"text": f"{seen}", "origin": {"kind": "user"}}}
        )


@covers("reconnect.replay")
async def test_a_channel_born_meanwhile_comes_as_a_snapshot(talk: Talk, connect: Connect) -> None:
    seen = last_seen(talk.client)
    later = await talk.another_chat()
    again = await back(connect, talk.client)
    reply = await again.reconnect(seen, talk.chat, later.chat)
    assert reply["type"] == "snapshot"
    assert {one["resource"] for one in reply["snapshots"]} == {talk.chat, later.chat}
