"""Can a long chat be read from its end?"""

from __future__ import annotations

import pytest

from tests.client import Client, Message
from tests.conftest import Connect
from tests.interaction.conftest import Agrees
from tests.interaction.conversation import Talk, accepted, state_of, text_of, turn_cancelled, turn_started
from tests.interaction.mirror import comparable
from tests.interaction.requirements import covers


async def filled(talk: Talk, turns: int, size: int = 10) -> list[str]:
    """Fill a chat with cancelled turns of this size: their ids."""
    ids = [f"turn-{number}" for number in range(turns)]
    last = 0
    for turn_id in ids:
        await talk.client.dispatch(talk.chat, turn_started("x" * size, turn_id))
        last = await talk.client.dispatch(talk.chat, turn_cancelled(turn_id))
    assert "rejectionReason" not in await talk.client.echo(last, within_s=60)
    return ids


def turn_ids(state: Message) -> list[str]:
    """The ids of the completed turns of a chat."""
    return [turn["id"] for turn in state["turns"]]


async def fetched(client: Client, chat: str, cursor: str | None) -> Message:
    """Fetch a page of older turns: the action that brought it."""
    since = len(client.frames)
    params = {"channel": chat} | ({"cursor": cursor} if cursor is not None else {})
    assert await client.request("fetchTurns", params) == {}
    page, reply = client.frames[since:]
    assert (page["method"], "result" in reply) == ("action", True)
    found: Message = page["params"]
    assert found["action"]["type"] == "chat/turnsLoaded"
    return found


@covers("subscriptions.window", "chats.fetch", "actions.converge")
async def test_pages_of_a_long_chat_join(talk: Talk, connect: Connect, agrees: Agrees) -> None:
    ids = await filled(talk, 300, 5_000)
    reader = await connect("bob")
    snapshot = await reader.subscribe(talk.chat, view={"turns": 20})
    assert turn_ids(snapshot["state"]) == ids[-20:]
    cursor = snapshot["state"]["turnsNextCursor"]
    while cursor:
        page = await fetched(reader, talk.chat, cursor)
        assert page["serverSeq"] == snapshot["fromSeq"]
        cursor = page["action"].get("turnsNextCursor")
    assert turn_ids(dict(state_of(reader, talk.chat))) == ids
    await agrees(reader, talk.chat)
    assert "chat/turnsLoaded" not in [one["action"]["type"] for one in talk.client.envelopes]


@covers("subscriptions.window")
@pytest.mark.parametrize(("window", "shown"), [(0, 0), (1, 1), (3, 3), (4, 4), (50, 4)])
async def test_a_window_holds_the_latest_turns(talk: Talk, connect: Connect, window: int, shown: int) -> None:
    ids = await filled(talk, 4)
    reader = await connect("bob")
    state = (await reader.subscribe(talk.chat, view={"turns": window}))["state"]
    assert turn_ids(state) == ids[4 - shown :]
    assert ("turnsNextCursor" in state) is (shown < 4)
    if "turnsNextCursor" in state:
        await fetched(reader, talk.chat, state["turnsNextCursor"])
    assert turn_ids(dict(state_of(reader, talk.chat))) == ids
    assert "turnsNextCursor" not in state_of(reader, talk.chat)


@covers("subscriptions.window")
async def test_without_a_window_all_turns_come(talk: Talk, connect: Connect) -> None:
    ids = await filled(talk, 120)
    state = (await (await connect("bob")).subscribe(talk.chat))["state"]
    assert (turn_ids(state), "turnsNextCursor" in state) == (ids, False)
    state = (await (await connect("bob")).subscribe(talk.chat, view={}))["state"]
    assert turn_ids(state) == ids


@covers("subscriptions.window", "chats.stream")
async def test_a_window_grows_with_what_happens(talk: Talk, connect: Connect) -> None:
    await filled(talk, 5)
    reader = await connect("bob")
    await reader.subscribe(talk.chat, view={"turns": 2})
    turn_id = await talk.start("say and more")
    await reader.action(talk.chat, "chat/turnComplete", turnId=turn_id)
    shown = state_of(reader, talk.chat)["turns"]
    assert [len(shown), text_of(shown[-1])] == [3, "and more"]


@covers("chats.fetch")
@pytest.mark.parametrize("cursor", ["", "x", "nonsense", "YWZ0ZXI6eA==", "YmVmb3JlOm5vc3VjaHR1cm4="])
async def test_a_bad_cursor_of_turns_is_refused(talk: Talk, cursor: str) -> None:
    await filled(talk, 2)
    assert (await talk.client.refused("fetchTurns", {"channel": talk.chat, "cursor": cursor})).code == -32602


@covers("chats.load-first")
@pytest.mark.parametrize("turn", [0, 3])
async def test_older_turns_are_loaded_before_one_is_named(talk: Talk, connect: Connect, turn: int) -> None:
    ids = await filled(talk, 8)
    reader = await connect("bob")
    await reader.subscribe(talk.chat, view={"turns": 2})
    await accepted(talk.client, talk.chat, {"type": "chat/truncated", "turnId": ids[turn]})
    await reader.action(talk.chat, "chat/truncated")
    assert comparable(state_of(reader, talk.chat)) == comparable(talk.chat_state)
