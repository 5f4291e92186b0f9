"""Does it matter to what one reads how fast one reads?"""

from __future__ import annotations

import asyncio

from tests.client import Client, Message
from tests.conftest import Connect
from tests.interaction.conftest import Agrees
from tests.interaction.conversation import Talk, begin, end_of, state_of, text_of
from tests.interaction.requirements import covers

DELTAS = frozenset({"chat/delta", "chat/reasoning"})


def of(client: Client, chat: str) -> list[Message]:
    """What a client was told of a chat."""
    return [one["action"] for one in client.envelopes if one["channel"] == chat]


@covers("subscriptions.latency", "actions.converge")
async def test_joined_deltas_make_the_same_state(talk: Talk, connect: Connect, agrees: Agrees) -> None:
    patient = await connect("bob")
    await patient.subscribe(talk.chat, delivery={"maxLatencyMs": 250})
    turn_id = await talk.start("stream 300 16 1\nthink a little\nstream 100 16")
    await talk.ended(turn_id)
    await end_of(patient, talk.chat, turn_id)
    assert state_of(patient, talk.chat)["turns"] == talk.chat_state["turns"]
    assert len(of(patient, talk.chat)) < len(of(talk.client, talk.chat))
    await agrees(patient, talk.chat)


@covers("subscriptions.latency")
async def test_deltas_are_not_joined_across_another_action(talk: Talk, connect: Connect) -> None:
    patient = await connect("bob")
    await patient.subscribe(talk.chat, delivery={"maxLatencyMs": 400})
    turn_id = await talk.start("stream 20 8 1\nusage 1 2\nstream 20 8 1\nthink of it\nusage 3 4\nsay the end")
    await talk.ended(turn_id)
    await end_of(patient, talk.chat, turn_id)
    others = [action for action in of(talk.client, talk.chat) if action["type"] not in DELTAS]
    assert [action for action in of(patient, talk.chat) if action["type"] not in DELTAS] == others
    assert joined(of(patient, talk.chat)) == joined(of(talk.client, talk.chat))


def joined(actions: list[Message]) -> list[tuple[str, str]]:
    """Types of actions, with the text of runs of deltas put together."""
    runs: list[tuple[str, str]] = []
    for action in actions:
        kind, text = action["type"], action.get("content", "") if action["type"] in DELTAS else ""
        if runs and kind in DELTAS and runs[-1][0] == kind:
            runs[-1] = (kind, runs[-1][1] + text)
        else:
            runs.append((kind, text))
    return runs


@covers("subscriptions.latency")
async def test_a_patient_reader_sees_what_is_said_though_nothing_follows(talk: Talk, connect: Connect) -> None:
    patient = await connect("bob")
    await patient.subscribe(talk.chat, delivery={"maxLatencyMs": 200})
    turn_id = await talk.start("say alone\nwait 600000")
    await patient.action(talk.chat, "chat/delta", content="alone")
    await talk.cancel(turn_id)


@covers("subscriptions.latency", "subscriptions.rising")
async def test_many_chats_read_by_many_have_one_text(connect: Connect) -> None:
    talks = [await begin(await connect("alice")) for _ in range(6)]
    readers = [await connect("bob") for _ in range(16)]
    for number, reader in enumerate(readers):
        for talk in talks:
            await reader.subscribe(talk.chat, delivery={"maxLatencyMs": 250 * (number % 2)})
    turns = [await talk.start("stream 150 20 5") for talk in talks]
    await asyncio.gather(*(talk.ended(turn_id, 45) for talk, turn_id in zip(talks, turns, strict=True)))
    for talk, turn_id in zip(talks, turns, strict=True):
        text = text_of(talk.turn(turn_id))
        assert text == "".join(f"{i:08} {'.' * 11}" for i in range(150))
        for reader in readers:
            await end_of(reader, talk.chat, turn_id)
            assert text_of(state_of(reader, talk.chat)["turns"][-1]) == text


@covers("subscriptions.latency", "actions.converge")
async def test_fifty_readers_of_twenty_chats_read_the_same_patient_or_not(talk: Talk, connect: Connect) -> None:
    talks = [talk, *[await talk.another_chat() for _ in range(19)]]
    readers = await asyncio.gather(*(connect("bob") for _ in range(50)))
    for number, reader in enumerate(readers):
        delivery = {"delivery": {"maxLatencyMs": 250}} if number % 2 else {}
        await asyncio.gather(*(reader.subscribe(each.chat, **delivery) for each in talks))

    turns = await asyncio.gather(*(each.start("stream 40 6 5\nusage 1 2\nsay end") for each in talks))
    for each, turn_id in zip(talks, turns, strict=True):
        await each.ended(turn_id, 60)
        told = each.chat_state["turns"]
        for reader in readers:
            await end_of(reader, each.chat, turn_id, 60)
            assert state_of(reader, each.chat)["turns"] == told
    eager, patient = readers[0], readers[1]
    assert sum(len(of(patient, each.chat)) for each in talks) < sum(len(of(eager, each.chat)) for each in talks) / 2
