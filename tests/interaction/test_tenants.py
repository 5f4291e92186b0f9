"""Can one learn of another tenant's things, or change them?"""

from __future__ import annotations

from typing import Any

import pytest

from ahp_platform.protocol.channel import ACTIONS
from ahp_platform.protocol.methods import COMMANDS
from tests.client import ROOT, Client, Message, RpcError
from tests.conftest import Connect
from tests.interaction.conversation import BUSY, Talk, accepted, begin, new_chat, new_session, turn_started, user
from tests.interaction.requirements import covers
from tests.interaction.samples import sample

# Methods that address a channel which must exist, and those that make one of that name in one's own tenant.
ADDRESSING = sorted(
    name for name, method in COMMANDS.items() if not method.connection_level and name != "createSession"
)
DISPATCHABLE = sorted(kind for kind, spec in ACTIONS.items() if spec.client_dispatchable)


async def answer(client: Client, method: str, params: Message, *secrets: str) -> tuple[int, str]:
    """The error that comes, with the URIs in its text blotted out."""
    error: RpcError = await client.refused(method, params)
    text = str(error)
    for secret in secrets:
        text = text.replace(secret, "URI")
    return error.code, f"{text} {error.data}"


@covers("who.tenants")
@pytest.mark.parametrize("method", ADDRESSING)
async def test_another_tenants_channel_is_answered_like_a_missing_one(
    talk: Talk, connect: Connect, method: str
) -> None:
    carol = await connect("carol")
    for there, missing in (
        (talk.session, new_session()),
        (talk.chat, new_chat()),
        (f"{talk.session}/annotations", f"{new_session()}/annotations"),
    ):
        params = sample(COMMANDS[method].params)
        if "chat" in params:
            params["chat"] = new_chat()
        foreign = await answer(carol, method, {**params, "channel": there}, there)
        assert foreign == await answer(carol, method, {**params, "channel": missing}, missing)


@covers("who.tenants")
async def test_what_names_another_tenants_channel_is_answered_like_a_missing_one(talk: Talk, connect: Connect) -> None:
    turn = await talk.say("say secret")
    carol = await begin(await connect("carol"))

    def requests(session: str, chat: str) -> list[tuple[str, Message]]:
        fork = {"session": session, "turnId": turn["id"]}
        sources = [{"kind": kind, "chat": chat, "turnId": turn["id"]} for kind in ("fork", "sideChat")]
        return [
            ("createSession", {"channel": new_session(), "fork": fork}),
            *(("createChat", {"channel": carol.session, "chat": new_chat(), "source": source}) for source in sources),
        ]

    theirs, nobodys = (talk.session, talk.chat), (new_session(), new_chat())
    for foreign, missing in zip(requests(*theirs), requests(*nobodys), strict=True):
        assert await answer(carol.client, *foreign, *theirs) == await answer(carol.client, *missing, *nobodys)
    reasons = []
    for chat in (talk.chat, new_chat()):
        quoted = {"type": "chat", "label": "x", "resource": chat, "endTurn": turn["id"]}
        number = await carol.client.dispatch(carol.chat, turn_started("say x", attachments=[quoted]))
        reasons.append((await carol.client.echo(number))["rejectionReason"])
    assert reasons[0] == reasons[1]


@covers("who.tenants", "actions.no-channel")
async def test_no_action_reaches_another_tenants_channels(talk: Talk, connect: Connect) -> None:
    turn_id = await talk.start(BUSY)
    await talk.action("chat/inputRequested")
    before = (talk.session_state, talk.chat_state)
    carol = await begin(await connect("carol"))
    since = len(carol.client.frames)
    for kind in DISPATCHABLE:
        for uri in (talk.session, talk.chat, f"{talk.session}/annotations", new_session(), new_chat()):
            fitting: Message = {"turnId": turn_id} if kind == "chat/turnCancelled" else {}
            await carol.client.dispatch(uri, sample(ACTIONS[kind].annotation, **fitting))
    last = await carol.client.dispatch(carol.session, {"type": "session/titleChanged", "title": "Mine"})
    echo = await carol.client.echo(last)
    frames = [frame for frame in carol.client.frames[since:] if frame.get("params") != echo]
    assert frames == []
    await talk.client.fence()
    assert (talk.session_state, talk.chat_state) == before
    await talk.cancel(turn_id)


@covers("who.tenants")
async def test_nothing_of_another_tenant_is_shown(connect: Connect) -> None:
    carol, alice = await connect("carol", ROOT), await connect("alice", ROOT)
    count = alice.frames[0]["result"]["snapshots"][0]["state"]["activeSessions"]
    mine = await begin(carol)
    theirs = await begin(alice)
    await theirs.say("say secret")
    for uri in (theirs.session, theirs.chat):
        reply = await (await connect("carol", initialize=False)).initialize(uri)
        assert reply["snapshots"] == []
    again = await connect("carol", initialize=False)
    reply = await again.reconnect(1, theirs.session, theirs.chat)
    assert [reply.get("snapshots", []), reply.get("actions", [])] == [[], []]
    listed = {one["resource"] for one in (await carol.request("listSessions"))["items"]}
    assert (mine.session in listed, theirs.session in listed) == (True, False)
    await carol.fence()
    assert theirs.session not in str(carol.frames)
    assert theirs.chat not in str(carol.frames)
    assert await alice.action(ROOT, "root/activeSessionsChanged", activeSessions=count + 1)


@covers("who.tenants", "sessions.opaque")
async def test_two_tenants_may_use_one_uri(connect: Connect) -> None:
    uri = new_session()
    alice, carol = await begin(await connect("alice"), uri), await begin(await connect("carol"), uri)
    await accepted(alice.client, uri, {"type": "session/titleChanged", "title": "Alice's"})
    await accepted(carol.client, uri, {"type": "session/titleChanged", "title": "Carol's"})
    titles = [talk.session_state["title"] for talk in (alice, carol)]
    assert titles == ["Alice's", "Carol's"]
    assert alice.chat != carol.chat
    await carol.client.request("disposeSession", {"channel": uri})
    assert (await alice.client.subscribe(uri))["state"]["title"] == "Alice's"


@covers("who.viewers")
@pytest.mark.parametrize("kind", [kind for kind in DISPATCHABLE if kind.startswith(("root/", "session/", "chat/"))])
async def test_a_viewer_looks_and_does_not_act(talk: Talk, connect: Connect, kind: str) -> None:
    channel = {"root": ROOT, "session": talk.session, "chat": talk.chat}[kind.partition("/")[0]]
    vera = await connect("vera", ROOT, talk.session, talk.chat)
    fitting: dict[str, Any] = (
        {"message": user("say x"), "startedAt": "2026-01-01T00:00:00Z"} if kind == "chat/turnStarted" else {}
    )
    number = await vera.dispatch(channel, sample(ACTIONS[kind].annotation, **fitting))
    assert "rejectionReason" in await vera.echo(number)
    await accepted(talk.client, talk.session, {"type": "session/titleChanged", "title": "Seen"})
    await vera.action(talk.session, "session/titleChanged", title="Seen")


@covers("who.viewers")
async def test_a_viewer_makes_and_ends_nothing(talk: Talk, connect: Connect) -> None:
    vera = await connect("vera")
    requests: list[tuple[str, Message]] = [
        ("createSession", {"channel": new_session()}),
        ("disposeSession", {"channel": talk.session}),
        ("createChat", {"channel": talk.session, "chat": new_chat()}),
        ("disposeChat", {"channel": talk.chat}),
    ]
    for method, params in requests:
        assert (await vera.refused(method, params)).code == -32009
    assert (await vera.request("listSessions", {"limit": 1}))["items"]
    assert (await vera.subscribe(talk.chat))["state"]["resource"] == talk.chat
