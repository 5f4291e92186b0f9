"""How does a connection begin?"""

from __future__ import annotations

import pytest

from tests.client import ROOT, Client
from tests.conftest import Connect
from tests.interaction.conversation import BUSY, Talk, accepted, begin, new_session
from tests.interaction.requirements import covers


@covers("lifecycle.first", "lifecycle.ping")
async def test_before_the_handshake_only_ping_is_answered(connect: Connect) -> None:
    client = await connect(initialize=False)
    assert await client.request("ping") is None
    for method in ("listSessions", "subscribe", "createSession", "noSuchMethod"):
        assert (await client.refused(method, {"channel": ROOT})).code == -32600
    assert await client.request("ping") is None


@covers("lifecycle.first")
async def test_before_the_handshake_notifications_are_dropped(talk: Talk, connect: Connect) -> None:
    early = await connect(initialize=False)
    await early.dispatch(talk.session, {"type": "session/titleChanged", "title": "Too early"})
    await early.initialize(talk.session)
    await accepted(early, talk.session, {"type": "session/isReadChanged", "isRead": True})
    assert talk.session_state["title"] != "Too early"
    assert [one["action"]["type"] for one in early.envelopes] == ["session/isReadChanged"]


@covers("lifecycle.once")
async def test_a_second_initialize_is_refused(connect: Connect) -> None:
    client = await connect("alice", ROOT)
    params = {"protocolVersions": ["0.7.0"], "clientId": client.client_id}
    assert (await client.refused("initialize", params)).code == -32600
    assert (await client.subscribe(ROOT))["resource"] == ROOT


@covers("lifecycle.ping")
async def test_ping_is_answered_with_null(connect: Connect) -> None:
    client = await connect()
    assert [await client.request("ping") for _ in range(3)] == [None, None, None]


@covers("lifecycle.result", "lifecycle.live")
async def test_the_handshake_tells_where_one_is(talk: Talk, connect: Connect) -> None:
    client = await connect(initialize=False)
    result = await client.initialize(ROOT, talk.session, talk.chat, ROOT)
    assert result["protocolVersion"] == "0.7.0"
    assert result["serverInfo"]["name"] == "ahp-platform"
    assert result["defaultDirectory"].startswith("file:///")
    assert [one["resource"] for one in result["snapshots"]] == [ROOT, talk.session, talk.chat]
    assert {one["fromSeq"] for one in result["snapshots"]} == {result["serverSeq"]}
    turn_id = await talk.start("say hello")
    assert (await client.action(talk.chat, "chat/turnStarted", turnId=turn_id))["serverSeq"] > result["serverSeq"]
    await client.action(talk.session, "session/chatUpdated")


@covers("lifecycle.left-out")
async def test_a_channel_that_is_not_there_is_left_out(talk: Talk, connect: Connect) -> None:
    client = await connect(initialize=False)
    result = await client.initialize(new_session(), talk.chat, "no uri at all", "ahp-chat:/none")
    assert [one["resource"] for one in result["snapshots"]] == [talk.chat]


@covers("lifecycle.locale")
async def test_labels_speak_the_language_of_the_client(connect: Connect) -> None:
    labels = {locale: await confirmation_labels(connect, locale) for locale in ("en", "de-CH", "xx")}
    assert labels["de-CH"] == ["Einmal erlauben", "Ablehnen"]
    assert labels["en"] == labels["xx"] == ["Allow once", "Deny"]


async def confirmation_labels(connect: Connect, locale: str) -> list[str]:
    """The labels of the choices that a client of this locale is offered."""
    client = await connect(initialize=False)
    await client.initialize(locale=locale)
    talk = await begin(client)
    turn_id = await talk.start("tool a.txt b")
    ready = await talk.action("chat/toolCallReady")
    await talk.cancel(turn_id)
    return [option["label"] for option in ready["options"]]


@covers("lifecycle.client-id")
async def test_a_client_id_stays_with_its_first_user(connect: Connect) -> None:
    alice = await connect("alice")
    bob = await connect("bob", client_id=alice.client_id, initialize=False)
    assert (
        await bob.refused("initialize", {"protocolVersions": ["0.7.0"], "clientId": alice.client_id})
    ).code == -32009
    again = {"clientId": alice.client_id, "lastSeenServerSeq": 0, "subscriptions": [ROOT]}
    assert (await bob.refused("reconnect", again)).code == -32009
    carol = await connect("carol", client_id=alice.client_id)
    await carol.fence()


@covers("lifecycle.client-id")
@pytest.mark.parametrize("client_id", ["", "x" * 10_000, "nul\x00"])
async def test_a_client_id_has_a_sensible_length(connect: Connect, client_id: str) -> None:
    client = await connect(initialize=False)
    assert (await client.refused("initialize", {"protocolVersions": ["0.7.0"], "clientId": client_id})).code == -32602


@covers("lifecycle.shared-id")
async def test_sockets_of_one_client_are_all_served(talk: Talk, connect: Connect) -> None:
    twin: Client = await connect("alice", talk.session, talk.chat, client_id=talk.client.client_id)
    turn_id = await talk.start(BUSY)
    await twin.action(talk.chat, "chat/turnStarted", turnId=turn_id)
    await twin.close()
    await talk.cancel(turn_id)
    assert talk.turn(turn_id)["state"] == "cancelled"
