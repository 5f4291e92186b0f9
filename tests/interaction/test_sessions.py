"""How does a session live?"""

from __future__ import annotations

import asyncio

import pytest

from tests.client import ROOT
from tests.conftest import Connect
from tests.interaction.conftest import Agrees
from tests.interaction.conversation import (
    BUSY,
    Talk,
    accepted,
    begin,
    new_chat,
    new_session,
    refusal,
    state_of,
    text_of,
    turn_started,
)
from tests.interaction.requirements import covers
from tests.service import RunningService

ACTIVITY = 31
IDLE, ERROR, IN_PROGRESS, INPUT_NEEDED, READ, ARCHIVED = 1, 2, 8, 24, 32, 64


@covers("sessions.create")
async def test_a_session_is_creating_and_then_ready(connect: Connect, agrees: Agrees) -> None:
    client, uri = await connect("alice", ROOT), new_session()
    assert await client.request("createSession", {"channel": uri, "provider": "demo"}) is None
    state = (await client.subscribe(uri))["state"]
    assert state["lifecycle"] in ("creating", "ready")
    await client.until(lambda: state_of(client, uri)["lifecycle"] == "ready", "a session that is ready")
    (chat,) = state_of(client, uri)["chats"]
    assert state["defaultChat"] == chat["resource"]
    assert chat["origin"] == {"kind": "user"}
    assert (await client.subscribe(chat["resource"]))["state"]["turns"] == []
    await agrees(client, uri, chat["resource"])


@covers("sessions.create")
async def test_a_turn_may_start_while_the_session_is_created(connect: Connect) -> None:
    client, uri = await connect(), new_session()
    await client.request("createSession", {"channel": uri})
    chat = (await client.subscribe(uri))["state"]["defaultChat"]
    await client.subscribe(chat)
    talk = Talk(client, uri, chat)
    assert text_of(await talk.say("say early")) == "early"


@covers("sessions.provider")
async def test_an_unknown_provider_is_refused(connect: Connect) -> None:
    client, uri = await connect(), new_session()
    assert (await client.refused("createSession", {"channel": uri, "provider": "nobody"})).code == -32002
    assert (await client.refused("subscribe", {"channel": uri})).code == -32001


@covers("sessions.provider")
async def test_an_agent_that_needs_a_token_says_for_what(connect: Connect) -> None:
    client, uri = await connect("bob", ROOT), new_session()
    error = await client.refused("createSession", {"channel": uri, "provider": "demo-protected"})
    assert error.code == -32007
    advertised = next(a for a in state_of(client, ROOT)["agents"] if a["provider"] == "demo-protected")
    assert error.data["resources"] == advertised["protectedResources"]
    assert (await client.refused("subscribe", {"channel": uri})).code == -32001


@covers("sessions.provider")
async def test_a_token_opens_an_agent_that_needs_one(connect: Connect, service: RunningService) -> None:
    client = await connect("alice", ROOT)
    agent = next(a for a in state_of(client, ROOT)["agents"] if a["provider"] == "demo-protected")
    (resource,) = (protected["resource"] for protected in agent["protectedResources"])
    token = await asyncio.to_thread(service.token, "demo", "alice", "--resource", resource)
    assert (await client.refused("authenticate", {"resource": resource, "token": "nonsense"})).code == -32007
    assert await client.request("authenticate", {"resource": resource, "token": token}) == {}
    talk = await begin(client, provider="demo-protected")
    assert text_of(await talk.say("say let in")) == "let in"


@covers("sessions.own-client")
async def test_one_cannot_make_another_client_active(connect: Connect) -> None:
    client, uri = await connect(), new_session()
    other = {"clientId": "somebody else", "tools": []}
    assert (await client.refused("createSession", {"channel": uri, "activeClient": other})).code == -32602
    mine = {"clientId": client.client_id, "displayName": "Me", "tools": []}
    talk = await begin(client, uri, activeClient=mine)
    assert talk.session_state["activeClients"] == [mine]


@covers("sessions.dispose")
async def test_a_disposed_session_ends_everything_in_it(talk: Talk, connect: Connect) -> None:
    bob = await talk.joined_by(await connect("bob"))
    await bob.client.subscribe(ROOT)
    turn_id = await talk.start("stream 5000 16 5")
    await bob.action("chat/delta")
    await talk.client.request("disposeSession", {"channel": talk.session})
    await bob.client.notification("root/sessionRemoved", session=talk.session)
    assert (await bob.ended(turn_id))["type"] == "chat/turnCancelled"
    since = len(bob.client.envelopes)
    for uri, code in ((talk.session, -32001), (talk.chat, -32008)):
        assert (await bob.client.refused("subscribe", {"channel": uri})).code == code
    assert (await talk.client.refused("disposeSession", {"channel": talk.session})).code == -32001
    anew = await begin(talk.client, talk.session)
    assert (anew.chat_state["turns"], anew.session_state["title"]) == ([], "New session")
    await anew.say("say not for old subscribers")
    await bob.client.fence()
    assert {one["channel"] for one in bob.client.envelopes[since:]} <= {ROOT}


@covers("sessions.dispose")
async def test_disposing_and_creating_again_leaves_no_old_text(talk: Talk) -> None:
    for number in range(10):
        await talk.client.dispatch(talk.chat, turn_started("stream 5000 16"))
        asked = [
            await talk.client.start("disposeSession", {"channel": talk.session}),
            await talk.client.start("createSession", {"channel": talk.session}),
            await talk.client.start("subscribe", {"channel": talk.session}),
        ]
        answers = [await talk.client.reply(one) for one in asked]
        state = answers[2]["snapshot"]["state"]
        assert answers[:2] == [None, None], number
        assert state["defaultChat"] != talk.chat
        talk = Talk(talk.client, talk.session, state["defaultChat"])
        assert (await talk.client.subscribe(talk.chat))["state"]["turns"] == []


@covers("sessions.aggregate")
async def test_a_session_shows_what_its_chats_do(talk: Talk, connect: Connect) -> None:
    second = await talk.another_chat()
    assert await shown(talk) == IDLE
    busy = await talk.start("wait 600000")
    assert await shown(talk) == IN_PROGRESS
    asking = await second.start("ask")
    await second.action("chat/inputRequested")
    assert await shown(talk) == INPUT_NEEDED
    await second.cancel(asking)
    assert await shown(talk) == IN_PROGRESS
    await talk.cancel(busy)
    assert await shown(talk) == IDLE
    failing = await second.start("fail on purpose")
    assert (await second.ended(failing))["type"] == "chat/error"
    assert await shown(talk) == ERROR
    await second.say("say better")
    assert await shown(talk) == IDLE


async def shown(talk: Talk) -> int:
    """The activity of a session, which snapshot and list agree on."""
    snapshot = await talk.client.subscribe(talk.session)
    listed = (await talk.client.request("listSessions", {}))["items"]
    summary = next(one for one in listed if one["resource"] == talk.session)
    assert summary["status"] == snapshot["state"]["status"]
    assert summary["modifiedAt"] == max(chat["modifiedAt"] for chat in snapshot["state"]["chats"])
    activity: int = summary["status"] & ACTIVITY
    return activity


@covers("sessions.flags", "actions.converge")
async def test_flags_are_the_sessions_own(talk: Talk, agrees: Agrees) -> None:
    await accepted(talk.client, talk.session, {"type": "session/isReadChanged", "isRead": True})
    await accepted(talk.client, talk.session, {"type": "session/isArchivedChanged", "isArchived": True})
    assert talk.session_state["status"] & ~ACTIVITY == READ | ARCHIVED
    turn_id = await talk.start(BUSY)
    await talk.cancel(turn_id)
    assert (await talk.client.subscribe(talk.session))["state"]["status"] & ARCHIVED
    await accepted(talk.client, talk.session, {"type": "session/isArchivedChanged", "isArchived": False})
    assert not talk.session_state["status"] & ARCHIVED
    await agrees(talk.client, talk.session)


@covers("sessions.fork")
async def test_a_fork_has_the_turns_through_the_named_one(talk: Talk, agrees: Agrees) -> None:
    turns = [await talk.say(f"say {word}") for word in ("one", "two", "three")]
    fork = await begin(talk.client, fork={"session": talk.session, "turnId": turns[1]["id"]})
    assert fork.chat_state["turns"] == turns[:2]
    assert fork.session_state["workingDirectories"] == talk.session_state["workingDirectories"]
    await fork.say("say another way")
    await talk.say("say four")
    assert [text_of(turn) for turn in fork.chat_state["turns"]] == ["one", "two", "another way"]
    assert [text_of(turn) for turn in talk.chat_state["turns"]] == ["one", "two", "three", "four"]
    await talk.client.request("disposeSession", {"channel": talk.session})
    assert (await fork.client.subscribe(fork.chat))["state"]["turns"][0] == turns[0]
    await agrees(fork.client, fork.session, fork.chat)


@covers("sessions.fork")
async def test_a_fork_needs_a_completed_turn_of_a_session(talk: Talk) -> None:
    active = await talk.start(BUSY)
    for source, code in (
        ({"session": talk.session, "turnId": active}, -32008),
        ({"session": talk.session, "turnId": "none"}, -32008),
        ({"session": new_session(), "turnId": active}, -32001),
        ({"session": talk.chat, "turnId": active}, -32008),
    ):
        uri = new_session()
        assert (await talk.client.refused("createSession", {"channel": uri, "fork": source})).code == code
        assert (await talk.client.refused("subscribe", {"channel": uri})).code == -32001
    await talk.cancel(active)


@covers("sessions.mutable")
@pytest.mark.parametrize(
    "change",
    [
        {"config": {"noSuchProperty": 1}},
        {"config": {"visibility": "world"}},
        {"config": {"visibility": 5}},
        {"config": {"visibility": None}},
        {"config": {"visibility": "private", "noSuchProperty": 1}},
    ],
)
async def test_a_session_takes_only_values_of_its_schema(talk: Talk, change: dict[str, object]) -> None:
    before = talk.session_state["config"]
    assert await refusal(talk.client, talk.session, {"type": "session/configChanged", **change})
    assert talk.session_state["config"] == before


@covers("sessions.default-chat", "actions.converge")
async def test_the_default_chat_is_one_of_the_catalogue(talk: Talk, agrees: Agrees) -> None:
    second = await talk.another_chat()
    await accepted(talk.client, talk.session, {"type": "session/defaultChatChanged", "defaultChat": second.chat})
    assert talk.session_state["defaultChat"] == second.chat
    for other in (new_chat(), talk.session, ""):
        assert await refusal(talk.client, talk.session, {"type": "session/defaultChatChanged", "defaultChat": other})
    await talk.client.request("disposeChat", {"channel": second.chat})
    await talk.client.action(talk.session, "session/chatRemoved", chat=second.chat)
    assert "defaultChat" not in talk.session_state
    await accepted(talk.client, talk.session, {"type": "session/defaultChatChanged", "defaultChat": talk.chat})
    await agrees(talk.client, talk.session)


@covers("sessions.directories")
async def test_working_directories_lie_in_the_tenants_own(talk: Talk, connect: Connect, agrees: Agrees) -> None:
    root = talk.client.frames[0]["result"]["defaultDirectory"]
    inside = f"{root}/a%20b/c"
    await accepted(talk.client, talk.session, {"type": "session/workingDirectorySet", "directory": inside})
    assert talk.session_state["workingDirectories"][-1] == inside
    for outside in (
        "file:///etc",
        f"{root}/../other",
        f"{root}/%2e%2e/other",
        f"{root}/a%2Fb",
        f"{root}x",
        "https://a.b/c",
        "x",
    ):
        assert await refusal(talk.client, talk.session, {"type": "session/workingDirectorySet", "directory": outside})
        error = await talk.client.refused("createSession", {"channel": new_session(), "workingDirectories": [outside]})
        assert error.code in (-32009, -32602)
    await accepted(talk.client, talk.session, {"type": "session/workingDirectoryRemoved", "directory": inside})
    await agrees(talk.client, talk.session)
