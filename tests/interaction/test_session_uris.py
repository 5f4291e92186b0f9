"""Under which URIs do sessions live?"""

from __future__ import annotations

import asyncio

import pytest

from tests.client import ROOT, RpcError
from tests.conftest import Connect
from tests.interaction.conversation import Talk, accepted, begin, new_session, text_of
from tests.interaction.requirements import covers


@covers("sessions.taken")
async def test_a_taken_uri_is_refused(talk: Talk, connect: Connect) -> None:
    await talk.say("say kept")
    for user in ("alice", "bob"):
        client = await connect(user)
        assert (await client.refused("createSession", {"channel": talk.session})).code == -32003
        assert (await client.refused("createSession", {"channel": talk.chat})).code == -32003
    assert [text_of(turn) for turn in (await talk.client.subscribe(talk.chat))["state"]["turns"]] == ["kept"]


@covers("sessions.taken")
async def test_of_two_who_create_at_once_one_succeeds(connect: Connect) -> None:
    onlooker = await connect("bob", ROOT)
    clients = [await connect("alice"), await connect("bob")]
    for _ in range(20):
        uri = new_session()
        asked = [await client.start("createSession", {"channel": uri}) for client in clients]
        answers = await asyncio.gather(
            *(client.reply(one) for client, one in zip(clients, asked, strict=True)), return_exceptions=True
        )
        failed = [answer for answer in answers if isinstance(answer, RpcError)]
        assert [error.code for error in failed] == [-32003]
        assert answers.count(None) == 1
    await onlooker.fence()
    told = [
        one["params"]["summary"]["resource"] for one in onlooker.notifications if one["method"] == "root/sessionAdded"
    ]
    assert len(told) == len(set(told))


@covers("sessions.opaque")
async def test_a_uri_is_an_opaque_key(connect: Connect) -> None:
    client, unique = await connect(), new_session().rpartition("/")[2]
    spellings = [
        f"copilot:/{unique}",
        f"COPILOT:/{unique}",
        f"copilot:/{unique.upper()}",
        f"copilot:/{unique}/",
        f"copilot:/{unique}//a:b/c",
        f"copilot:/{unique}%2Fa",
        f"copilot:/{unique}%2fa",
        f"copilot:/{unique}/a",
        f"copilot:/{unique}?q=1#f",
        f"copilot:/{unique}/ü",
        f"copilot:/{unique}/u\u0308",
        f"copilot:/{unique}/%C3%BC",
        f"copilot:/{unique}/ with spaces 你好",
        f"ahp-chat://default/{unique}==",
        f"long:/{unique}{'x' * 300}",
    ]
    talks = [await begin(client, uri) for uri in spellings]
    for number, talk in enumerate(talks):
        await accepted(client, talk.session, {"type": "session/titleChanged", "title": f"Title {number}"})
    for number, talk in enumerate(talks):
        snapshot = await client.subscribe(talk.session)
        assert (snapshot["resource"], snapshot["state"]["title"]) == (spellings[number], f"Title {number}")
    listed = {one["resource"]: one["title"] for one in (await client.request("listSessions"))["items"]}
    assert [listed[uri] for uri in spellings] == [f"Title {number}" for number in range(len(spellings))]


@covers("sessions.opaque")
async def test_a_session_and_its_chat_may_have_any_scheme(connect: Connect) -> None:
    client = await connect()
    unique = new_session().rpartition("/")[2]
    talk = await begin(client, f"copilot:/{unique}")
    chat = f"ahp-session:/chat-of-{unique}"
    await client.request("createChat", {"channel": talk.session, "chat": chat})
    await client.subscribe(chat)
    other = Talk(client, talk.session, chat)
    assert text_of(await other.say("say I am a chat")) == "I am a chat"
    assert (await client.refused("subscribe", {"channel": f"copilot:/none-{unique}"})).code == -32008


@covers("sessions.opaque")
@pytest.mark.parametrize("uri", ["", "no colon", "x:/" + "y" * 5_000])
async def test_what_is_no_uri_is_refused(connect: Connect, uri: str) -> None:
    assert (await (await connect()).refused("createSession", {"channel": uri})).code == -32602
