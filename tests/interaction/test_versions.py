"""Which version does a connection speak, and what does an older client see?"""

from __future__ import annotations

import pytest

from tests.client import ROOT, Client, Message
from tests.conftest import Connect
from tests.interaction.conversation import Talk, accepted, end_of, new_session, turn_started, user
from tests.interaction.requirements import covers

OLDER = ["0.6.0", "0.5.2", "0.5.1"]


async def speaking(connect: Connect, version: str, user: str = "alice") -> Client:
    """A client that offers one version."""
    client = await connect(user, initialize=False)
    result = await client.initialize(ROOT, protocolVersions=[version])
    assert result["protocolVersion"] == version
    return client


@covers("versions.highest")
@pytest.mark.parametrize(
    ("offered", "chosen"),
    [
        (["0.7.0"], "0.7.0"),
        (["0.5.1", "0.7.0", "0.6.0"], "0.7.0"),
        (["1.0.0", "0.9.0", "0.7.0"], "0.7.0"),
        (["0.6.0", "0.5.2"], "0.6.0"),
        (["0.5.2", "0.5.1"], "0.5.2"),
        (["0.5.1", "0.10.0"], "0.5.1"),
    ],
)
async def test_the_highest_version_in_common_is_chosen(connect: Connect, offered: list[str], chosen: str) -> None:
    client = await connect(initialize=False)
    assert (await client.initialize(protocolVersions=offered))["protocolVersion"] == chosen


@covers("versions.none")
@pytest.mark.parametrize("offered", [["0.9.0", "1.0.0"], ["0.8.0"], ["7.0.0"], ["0.4.9"]])
async def test_no_version_in_common_ends_the_connection(connect: Connect, offered: list[str]) -> None:
    client = await connect(initialize=False)
    error = await client.refused("initialize", {"protocolVersions": offered, "clientId": "x"})
    assert error.code == -32005
    assert "0.7.0" in error.data["supportedVersions"]
    await client.until_closed()


@covers("versions.malformed")
@pytest.mark.parametrize("offered", [["latest"], ["0.7"], ["v0.7.0"], ["0.7.0-rc1"], ["0.7.0", "^0.6"], [7], "0.7.0"])
async def test_a_malformed_version_is_refused_and_one_may_try_again(connect: Connect, offered: object) -> None:
    client = await connect(initialize=False)
    error = await client.refused("initialize", {"protocolVersions": offered, "clientId": client.client_id})
    assert error.code == -32602
    assert (await client.initialize())["protocolVersion"] == "0.7.0"


@covers("versions.directories")
@pytest.mark.parametrize("version", OLDER)
async def test_an_older_client_has_one_working_directory(connect: Connect, version: str) -> None:
    older, newer = await speaking(connect, version), await connect("bob", ROOT)
    uri, directory = new_session(), f"{newer.frames[0]['result']['defaultDirectory']}/one"
    await older.request("createSession", {"channel": uri, "workingDirectory": directory})
    seen = (await older.subscribe(uri))["state"]
    assert (seen["workingDirectory"], "workingDirectories" in seen) == (directory, False)
    told = await older.until(lambda: summary_of(older, uri), "root/sessionAdded")
    assert (told["workingDirectory"], "workingDirectories" in told) == (directory, False)
    listed = next(one for one in (await older.request("listSessions"))["items"] if one["resource"] == uri)
    assert (listed["workingDirectory"], "workingDirectories" in listed) == (directory, False)
    assert (await newer.subscribe(uri))["state"]["workingDirectories"] == [directory]


def summary_of(client: Client, session: str) -> Message | None:
    """What was told of a new session."""
    added = (one["params"]["summary"] for one in client.notifications if one["method"] == "root/sessionAdded")
    return next((summary for summary in added if summary["resource"] == session), None)


@covers("versions.only-known")
@pytest.mark.parametrize("version", OLDER)
async def test_an_older_client_gets_no_action_that_it_does_not_know(talk: Talk, connect: Connect, version: str) -> None:
    older = await speaking(connect, version, "bob")
    before = (await older.subscribe(talk.session))["state"]
    second = f"{talk.session_state['workingDirectories'][0]}/second"
    await accepted(talk.client, talk.session, {"type": "session/workingDirectorySet", "directory": second})
    await accepted(talk.client, talk.session, {"type": "session/titleChanged", "title": "After it"})
    await older.action(talk.session, "session/titleChanged")
    assert [one["action"]["type"] for one in older.envelopes if one["channel"] == talk.session] == [
        "session/titleChanged"
    ]
    again = await older.reconnect(older.envelopes[-1]["serverSeq"] - 2, talk.session)
    assert "session/workingDirectorySet" not in [one["action"]["type"] for one in again.get("actions", ())]
    assert (await older.subscribe(talk.session))["state"]["workingDirectory"] == before["workingDirectory"]


@covers("versions.only-known", "reconnect.replay")
@pytest.mark.parametrize("version", OLDER)
async def test_an_older_client_that_comes_back_is_as_old_as_before(talk: Talk, connect: Connect, version: str) -> None:
    older = await speaking(connect, version, "bob")
    seen = (await older.subscribe(talk.session))["fromSeq"]
    older.cut()
    second = f"{talk.session_state['workingDirectories'][0]}/second"
    await accepted(talk.client, talk.session, {"type": "session/workingDirectorySet", "directory": second})
    await accepted(talk.client, talk.session, {"type": "session/titleChanged", "title": "After it"})
    again = await connect("bob", client_id=older.client_id, initialize=False)
    reply = await again.reconnect(seen, talk.session)
    assert [one["action"]["type"] for one in reply["actions"]] == ["session/titleChanged"]
    state = (await again.subscribe(talk.session))["state"]
    assert ("workingDirectory" in state, "workingDirectories" in state) == (True, False)


@covers("versions.older-talk")
@pytest.mark.parametrize("version", OLDER)
async def test_a_conversation_works_in_every_version(connect: Connect, version: str) -> None:
    client = await speaking(connect, version)
    session = new_session()
    await client.request("createSession", {"channel": session})
    state = (await client.subscribe(session))["state"]
    if state["lifecycle"] == "creating":
        await client.action(session, "session/ready")
    chat = state["defaultChat"]
    await client.subscribe(chat)
    action = turn_started("say hello there\ntool hello.txt content", "first")
    if version < "0.6.0":
        del action["startedAt"]
    assert "rejectionReason" not in await client.echo(await client.dispatch(chat, action))
    ready = (await client.action(chat, "chat/toolCallReady"))["action"]
    approval = {"turnId": "first", "toolCallId": ready["toolCallId"], "approved": True, "confirmed": "user-action"}
    await accepted(client, chat, {"type": "chat/toolCallConfirmed", **approval})
    assert (await end_of(client, chat, "first"))["type"] == "chat/turnComplete"
    turn = (await client.subscribe(chat))["state"]["turns"][0]
    assert [part["kind"] for part in turn["responseParts"]] == ["markdown", "toolCall", "markdown"]
    assert turn["responseParts"][1]["toolCall"]["status"] == "completed"


@covers("versions.older-talk")
@pytest.mark.parametrize("version", ["0.5.2", "0.5.1"])
async def test_open_questions_stand_beside_the_turn_before_0_6_0(talk: Talk, connect: Connect, version: str) -> None:
    turn_id = await talk.start("ask Which?")
    request = (await talk.action("chat/inputRequested"))["request"]
    older = await speaking(connect, version, "bob")
    state = (await older.subscribe(talk.chat))["state"]
    assert [one["id"] for one in state["inputRequests"]] == [request["id"]]
    assert state["activeTurn"]["responseParts"] == []
    declined = {"type": "chat/inputCompleted", "requestId": request["id"], "response": "decline"}
    await accepted(older, talk.chat, declined)
    assert (await end_of(older, talk.chat, turn_id))["type"] == "chat/turnComplete"


@covers("versions.older-talk")
async def test_an_older_client_cancels_without_a_duration(talk: Talk, connect: Connect) -> None:
    turn_id = await talk.start("ask")
    older = await speaking(connect, "0.5.2", "bob")
    await older.subscribe(talk.chat)
    await accepted(older, talk.chat, {"type": "chat/turnCancelled", "turnId": turn_id})
    assert (await talk.ended(turn_id))["type"] == "chat/turnCancelled"
    assert (await talk.say("say still here"))["message"] == user("say still here")
