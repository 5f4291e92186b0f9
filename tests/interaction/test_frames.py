"""What becomes of a frame, good or bad?"""

from __future__ import annotations

import json

import pytest

from ahp_platform.protocol.methods import CLIENT_NOTIFICATIONS, COMMANDS
from ahp_platform.wiring import service
from tests.client import ROOT, Client, Message, RpcError
from tests.conftest import Connect
from tests.interaction.conversation import Talk, new_chat, new_session, turn_started, user
from tests.interaction.requirements import covers

# Ping has no handler: it is answered before anything else.
UNBUILT = sorted(COMMANDS.keys() - service().methods.keys() - {"ping"})
NOT_JSON = ["", "{", "[1,", "nul", "NaN", '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":NaN}}', "{'a': 1}"]
NO_MESSAGE: list[object] = [
    None, 5, "text", [], [{"jsonrpc": "2.0", "id": 1, "method": "ping"}], {}, {"id": 1, "method": "ping"},
    {"jsonrpc": "1.0", "id": 1, "method": "ping"}, {"jsonrpc": "2.0", "id": 1, "method": 5}, {"jsonrpc": "2.0", "id": 1},
    {"jsonrpc": "2.0", "id": None, "method": "ping"}, {"jsonrpc": "2.0", "id": True, "method": "ping"},
    {"jsonrpc": "2.0", "id": {}, "method": "ping"},
]  # fmt: skip


async def error_after(client: Client, frame: str | bytes) -> Message:
    """Send a frame: the answer, which must be an error."""
    since = len(client.frames)
    await client.send_raw(frame)
    return await client.until(lambda: next((f for f in client.frames[since:] if "error" in f), None), "an error")


@covers("frames.parse")
@pytest.mark.parametrize("frame", NOT_JSON)
async def test_what_is_no_json_is_a_parse_error(connect: Connect, frame: str) -> None:
    client = await connect()
    answer = await error_after(client, frame)
    assert (answer["error"]["code"], answer["id"]) == (-32700, None)
    await client.fence()


@covers("frames.parse")
async def test_a_binary_frame_is_a_parse_error(connect: Connect) -> None:
    client = await connect()
    answer = await error_after(client, b'{"jsonrpc":"2.0","id":1,"method":"ping"}')
    assert (answer["error"]["code"], answer["id"]) == (-32700, None)
    await client.fence()


@covers("frames.message")
@pytest.mark.parametrize("message", NO_MESSAGE, ids=json.dumps)
async def test_json_that_is_no_message_is_an_invalid_request(connect: Connect, message: object) -> None:
    client = await connect()
    answer = await error_after(client, json.dumps(message))
    assert answer["error"]["code"] == -32600
    await client.fence()


@covers("frames.unknown-method")
@pytest.mark.parametrize("method", ["noSuchMethod", "", "Ping", "action", *UNBUILT])
async def test_a_method_that_is_not_there_is_not_found(connect: Connect, method: str) -> None:
    client = await connect()
    assert (await client.refused(method, {})).code == -32601


@covers("frames.params", "frames.discreet")
@pytest.mark.parametrize(
    ("method", "params", "path"),
    [
        ("subscribe", {"channel": 5}, "params.channel"),
        ("subscribe", {"channel": ROOT, "view": {"turns": "all"}}, "params.view.turns"),
        ("listSessions", {"limit": "ten"}, "params.limit"),
        ("createSession", {"channel": "x:/1", "fork": {"session": "x:/2"}}, "params.fork.turnId"),
        ("createSession", {"channel": "x:/1", "workingDirectories": ["file:///", 7]}, "params.workingDirectories[1]"),
        ("createChat", {"channel": "x:/1"}, "params.chat"),
        ("fetchTurns", {"channel": "x:/1", "cursor": {}}, "params.cursor"),
        ("sessionConfigCompletions", {}, "params.property"),
        ("reconnect", {"clientId": "a", "lastSeenServerSeq": 0}, "params.subscriptions"),
    ],
)
async def test_params_of_the_wrong_shape_are_named_by_their_path(
    connect: Connect, method: str, params: Message, path: str
) -> None:
    error = await (await connect()).refused(method, params)
    assert error.code == -32602
    assert path in str(error)
    assert not any(word in str(error) for word in ("Traceback", "/work", ".py", "SELECT"))


@covers("frames.params")
async def test_params_that_are_no_object_are_refused(connect: Connect) -> None:
    client = await connect()
    wrong: list[object] = [[], "text", 5]
    for params in wrong:
        answer = await error_after(
            client, json.dumps({"jsonrpc": "2.0", "id": 7, "method": "listSessions", "params": params})
        )
        assert (answer["error"]["code"], answer["id"]) == (-32602, 7)


@covers("frames.silent-notifications")
async def test_a_notification_is_never_answered(connect: Connect) -> None:
    client = await connect()
    never = new_session()
    wrong: list[Message] = [
        {"method": "noSuchMethod"},
        {"method": "unsubscribe"},
        {"method": "unsubscribe", "params": {"channel": 5}},
        {"method": "dispatchAction", "params": []},
        {"method": "dispatchAction", "params": {"channel": ROOT, "clientSeq": "x", "action": {}}},
        {"method": "createSession", "params": {"channel": never}},
        {"method": "ping"},
    ]
    since = len(client.frames)
    for message in wrong:
        await client.send(message)
    assert (await client.refused("subscribe", {"channel": never})).code == -32001
    assert len(client.frames) == since + 1


@covers("frames.silent-notifications")
@pytest.mark.parametrize("method", sorted(CLIENT_NOTIFICATIONS))
async def test_a_notification_with_an_id_is_refused_and_the_connection_lives(connect: Connect, method: str) -> None:
    client = await connect()
    for params in ({"channel": ROOT}, {}):
        assert (await client.refused(method, params)).code == -32600
    assert await client.request("ping") is None


@covers("frames.ids")
@pytest.mark.parametrize("request_id", [0, -1, 1.5, 2**53 + 1, "", "x", "0", "ü\u2028"])
async def test_an_id_comes_back_as_it_was(connect: Connect, request_id: float | str) -> None:
    client = await connect()
    since = len(client.frames)
    await client.send({"id": request_id, "method": "ping"})
    await client.send({"id": request_id, "method": "noSuchMethod"})
    answers = await client.until(
        lambda: client.frames[since:] if len(client.frames) == since + 2 else None, "two answers"
    )
    assert [(answer["id"], type(answer["id"])) for answer in answers] == [(request_id, type(request_id))] * 2


@covers("frames.responses")
async def test_answers_that_nobody_waits_for_are_ignored(connect: Connect) -> None:
    client, other = await connect(), await connect("bob")
    since = len(client.frames)
    for answer in (
        {"id": 1, "result": None},
        {"id": "x", "result": {}},
        {"id": 2**60, "error": {"code": 1, "message": ""}},
    ):
        await client.send(answer)
    await client.fence()
    assert len(client.frames) == since + 1
    await other.fence()


@covers("frames.root-channel")
@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("listSessions", {}),
        ("resolveSessionConfig", {}),
        ("reconnect", {"clientId": "r", "lastSeenServerSeq": 0, "subscriptions": []}),
    ],
)
async def test_methods_of_the_connection_take_the_root_channel_or_none(
    connect: Connect, method: str, params: Message
) -> None:
    client = await connect()
    params = {**params, **({"clientId": client.client_id} if "clientId" in params else {})}
    await client.send({"id": "without", "method": method, "params": params})
    answer = await client.until(
        lambda: next((f for f in client.frames if f.get("id") == "without"), None), "the answer"
    )
    assert "result" in answer
    error = await client.refused(method, {**params, "channel": "ahp-session:/other"})
    assert error.code == -32602
    assert "params.channel" in str(error)


@covers("frames.order")
async def test_a_burst_has_its_effects_in_the_order_sent(connect: Connect) -> None:
    client = await connect(initialize=False)
    session, chat = new_session(), new_chat()
    params = {"protocolVersions": ["0.7.0"], "clientId": client.client_id}
    started = [
        await client.start("initialize", params),
        await client.start("createSession", {"channel": session}),
        await client.start("subscribe", {"channel": session}),
        await client.start("createChat", {"channel": session, "chat": chat}),
        await client.start("subscribe", {"channel": chat}),
    ]
    number = await client.dispatch(chat, turn_started("say all in order", "burst"))
    results = [await client.reply(request_id) for request_id in started]
    assert results[2]["snapshot"]["state"]["chats"][0]["resource"] != chat
    assert "activeTurn" not in results[4]["snapshot"]["state"]
    assert "rejectionReason" not in await client.echo(number)
    assert (await client.action(session, "session/chatAdded"))["action"]["summary"]["resource"] == chat
    await client.action(chat, "chat/turnComplete", turnId="burst")
    answered = [frame["id"] for frame in client.frames if "id" in frame]
    assert answered == started


@covers("frames.unknown-kept")
async def test_what_we_do_not_know_is_kept_and_relayed(talk: Talk, connect: Connect) -> None:
    bob = await talk.joined_by(await connect("bob"))
    attachment = {"type": "hologram", "label": "A thing of the future", "depth": 3, "_meta": {"from": "completion"}}
    future = {"attachments": [attachment], "mood": {"calm": True}}
    turn_id = await talk.start("say hello", **future)
    seen = await bob.action("chat/turnStarted", turnId=turn_id)
    assert seen["message"] == user("say hello", **future)
    await talk.ended(turn_id)
    newcomer = await connect("bob")
    assert (await newcomer.subscribe(talk.chat))["state"]["turns"][0]["message"] == user("say hello", **future)


@covers("frames.numbers")
async def test_large_numbers_survive(talk: Talk, connect: Connect) -> None:
    large = {"number": 2**53 - 1, "small": -(2**52), "fraction": 0.1}
    turn = await talk.say("say hello", _meta=large)
    assert turn["message"]["_meta"] == large
    assert (await (await connect("bob")).subscribe(talk.chat))["state"]["turns"][0]["message"]["_meta"] == large


@covers("frames.text")
@pytest.mark.parametrize(
    "odd", ["\ud800", "a\udfffb", "nul\x00nul", "\u2028\u2029", "👩‍🚀 e\u0301", "\ufeff", "\\u0000"]
)
async def test_odd_text_is_the_same_for_everybody(talk: Talk, connect: Connect, odd: str) -> None:
    bob = await talk.joined_by(await connect("bob"))
    titled = await talk.client.echo(
        await talk.client.dispatch(talk.session, {"type": "session/titleChanged", "title": odd})
    )
    turn_id = await talk.start(f"say {odd}")
    await talk.ended(turn_id)
    await bob.ended(turn_id)
    assert bob.turn(turn_id) == talk.turn(turn_id)
    newcomer = await connect("alice", talk.session, talk.chat)
    told = {one["resource"]: one["state"] for one in newcomer.frames[0]["result"]["snapshots"]}
    assert told[talk.chat]["turns"] == [talk.turn(turn_id)]
    assert told[talk.session]["title"] == titled["action"]["title"]
    listed = await newcomer.request("listSessions", {})
    assert talk.session in [one["resource"] for one in listed["items"]]


@covers("frames.discreet")
async def test_errors_tell_nothing_of_ours(talk: Talk) -> None:
    errors: list[RpcError] = [
        await talk.client.refused("createSession", {"channel": new_session(), "workingDirectories": ["file:///etc"]}),
        await talk.client.refused("createSession", {"channel": new_session(), "workingDirectories": ["file:///%00"]}),
        await talk.client.refused("createSession", {"channel": "no\x00uri:/"}),
        await talk.client.refused("listSessions", {"cursor": "\u0000"}),
        await talk.client.refused("listSessions", {"limit": -1}),
        await talk.client.refused("disposeChat", {"channel": talk.session}),
    ]
    assert not any(word in str(error) for error in errors for word in ("Traceback", "psycopg", ".py", "SELECT", "/tmp"))
    assert -32603 not in [error.code for error in errors]
