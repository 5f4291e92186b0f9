"""What is too much, and what happens then?"""

from __future__ import annotations

import asyncio
import json
import socket
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection
from websockets.asyncio.client import connect as open_socket
from websockets.exceptions import ConnectionClosed

from tests.client import ROOT, Client
from tests.conftest import Connect
from tests.interaction.client_tools import TOOL, active, running_call
from tests.interaction.conftest import SMALL_LIMITS
from tests.interaction.conversation import Talk, accepted, begin, new_chat, text_of, turn_cancelled, turn_started, user
from tests.interaction.requirements import covers
from tests.service import RunningService

MIB = 1024 * 1024
KEPT = int(SMALL_LIMITS["AHP_REPLAY_ACTIONS"])
PER_SECOND = int(SMALL_LIMITS["AHP_MESSAGES_PER_SECOND"])


def nested(levels: int) -> str:
    """A ping that is nested so deep, itself being the first level and its params the second."""
    inner = "[" * (levels - 2) + "]" * (levels - 2)
    return f'{{"jsonrpc":"2.0","id":"deep","method":"ping","params":{{"x":{inner}}}}}'


@covers("limits.depth")
@pytest.mark.parametrize("levels", [201, 500, 10_000, 100_000])
async def test_too_deep_a_message_is_refused(connect: Connect, levels: int) -> None:
    client = await connect()
    since = len(client.frames)
    await client.send_raw(nested(levels))
    answer = await client.until(lambda: client.frames[since:], "an answer")
    assert answer[0]["error"]["code"] in (-32600, -32700)
    await client.fence()


@covers("limits.depth")
async def test_200_levels_are_not_too_deep(connect: Connect) -> None:
    client = await connect()
    await client.send_raw(nested(200))
    answer = await client.until(lambda: next((f for f in client.frames if f.get("id") == "deep"), None), "the answer")
    assert answer["result"] is None


@covers("limits.frame")
async def test_a_frame_of_8_mib_is_the_largest(talk: Talk, connect: Connect) -> None:
    await accepted(talk.client, talk.chat, {"type": "chat/draftChanged", "draft": user("x" * (8 * MIB - 1_000))})
    bob = await connect("bob")
    with pytest.raises((ConnectionClosed, AssertionError)):
        await too_large(bob, 8 * MIB + 1_000)
    assert (await bob.until_closed())[0] == 1009
    await talk.client.fence()


async def too_large(client: Client, size: int) -> None:
    """Send a frame of this size and wait for what does not come."""
    await client.send({"id": 1, "method": "ping", "params": {"x": "x" * size}})
    await client.fence()


@covers("limits.frame")
async def test_the_size_of_a_frame_is_a_setting(connect_small: Connect) -> None:
    client, other = await connect_small(), await connect_small("bob")
    await client.send({"id": "fits", "method": "ping", "params": {"x": "x" * 60_000}})
    await client.fence()
    with pytest.raises((ConnectionClosed, AssertionError)):
        await too_large(client, 70_000)
    assert (await client.until_closed())[0] == 1009
    await other.fence()


@covers("limits.subscriptions")
async def test_a_connection_holds_so_many_subscriptions(connect_small: Connect) -> None:
    talk = await begin(await connect_small())
    chats = [await talk.another_chat() for _ in range(3)]
    late = new_chat()
    await talk.client.request("createChat", {"channel": talk.session, "chat": late})
    assert (await talk.client.refused("subscribe", {"channel": late})).code == -32600
    await talk.client.subscribe(talk.chat)
    await talk.client.notify("unsubscribe", {"channel": chats[0].chat})
    await talk.client.subscribe(late)
    everything = [talk.session, talk.chat, late, *(chat.chat for chat in chats)]
    greedy = await connect_small("bob", initialize=False)
    params = {"protocolVersions": ["0.7.0"], "clientId": greedy.client_id, "initialSubscriptions": everything}
    assert (await greedy.refused("initialize", params)).code == -32600
    assert len((await greedy.initialize(*everything[:5]))["snapshots"]) == 5


@covers("limits.outbox")
async def test_a_reader_who_does_not_read_is_given_up(connect_small: Connect, small_service: RunningService) -> None:
    talk = await begin(await connect_small())
    onlooker = await connect_small("bob", talk.session)
    await talk.client.notify("unsubscribe", {"channel": talk.chat})
    bearer = {"Authorization": f"Bearer {small_service.token('demo', 'bob')}"}
    options: dict[str, Any] = {
        "max_queue": 1,
        "max_size": None,
        "compression": None,
        "sock": narrow(small_service.port),
    }
    async with open_socket(small_service.socket(), additional_headers=bearer, **options) as lazy:
        params = {"protocolVersions": ["0.7.0"], "clientId": "lazy", "initialSubscriptions": [talk.chat]}
        await lazy.send(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}))
        assert "result" in json.loads(await lazy.recv())
        await talk.client.dispatch(talk.chat, turn_started("\n".join(["stream 60 10000"] * 20), "flood"))
        await onlooker.until(lambda: idle_again(onlooker, talk), "the end of the flood", 60)
        with pytest.raises(ConnectionClosed):
            await asyncio.wait_for(read_to_the_end(lazy), 30)
        # Who does not even take the close frame is cut off.
        assert lazy.close_code in (1013, 1006)
    snapshot = await onlooker.subscribe(talk.chat)
    assert len(text_of(snapshot["state"]["turns"][0])) == 20 * 60 * 10_000


def narrow(port: int) -> socket.socket:
    """A connection that takes little at a time."""
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    made.connect(("127.0.0.1", port))
    made.setblocking(False)
    return made


async def read_to_the_end(connection: ClientConnection) -> None:
    """Read whatever still comes."""
    while True:
        await connection.recv()


def idle_again(client: Client, talk: Talk) -> bool:
    """Whether the turn that ran in a chat is over, as its session tells."""
    told = [one["action"] for one in client.envelopes if one["action"]["type"] == "session/chatUpdated"]
    statuses = [
        action["changes"]["status"] for action in told if action["chat"] == talk.chat and "status" in action["changes"]
    ]
    return len(statuses) >= 2 and statuses[-1] & 31 == 1


@covers("sessions.grace")
@pytest.mark.parametrize("how", ["cut", "close"])
async def test_a_client_that_stays_away_is_active_no_more(connect_small: Connect, how: str) -> None:
    talk, editor = await begin(await connect_small("alice")), await connect_small("bob")
    await editor.subscribe(talk.session)
    await accepted(editor, talk.session, active(editor, TOOL))
    ready = await running_call(talk)
    if how == "cut":
        editor.cut()
    else:
        await editor.close()
    await talk.client.action(talk.session, "session/activeClientRemoved", clientId=editor.client_id)
    ended = await talk.action("chat/toolCallComplete", toolCallId=ready["toolCallId"])
    assert ended["result"]["success"] is False
    assert (await talk.ended(ready["turnId"]))["type"] == "chat/turnComplete"


@covers("limits.rate")
async def test_too_many_messages_end_the_connection(connect_small: Connect) -> None:
    client, other = await connect_small(), await connect_small("bob")
    with pytest.raises((ConnectionClosed, AssertionError)):
        await hurry(client)
    assert (await client.until_closed())[0] == 1008
    last = client.frames[-1]
    assert (last["error"]["code"], "slow down" in last["error"]["message"]) == (-32600, True)
    await other.fence()


async def hurry(client: Client) -> None:
    """Send many times as much as is allowed."""
    for _ in range(40 * PER_SECOND):
        await client.send({"id": 0, "method": "ping"})
    await client.fence()


@covers("reconnect.too-old")
async def test_beyond_the_replay_window_there_are_snapshots(
    connect_small: Connect, small_service: RunningService
) -> None:
    talk = await begin(await connect_small())
    born = (await talk.client.subscribe(talk.chat))["fromSeq"]
    for number in range(KEPT):
        await talk.client.dispatch(talk.chat, turn_started("x", f"turn-{number}"))
        last = await talk.client.dispatch(talk.chat, turn_cancelled(f"turn-{number}"))
    newest = (await talk.client.echo(last))["serverSeq"]
    trim = "import asyncio; from ahp_platform.eventlog.retention import trim; asyncio.run(trim()); print('trimmed')"
    assert await asyncio.to_thread(small_service.manage, "shell", "-c", trim) == "trimmed"
    again = await connect_small("alice", client_id=talk.client.client_id, initialize=False)
    old = await again.reconnect(born, talk.chat, ROOT)
    assert old["type"] == "snapshot"
    told = next(one for one in old["snapshots"] if one["resource"] == talk.chat)
    assert len(told["state"]["turns"]) == KEPT
    recent = await again.reconnect(newest - 3, talk.chat)
    assert recent["type"] == "replay"
    assert recent["actions"] == [
        one for one in talk.client.envelopes if one["channel"] == talk.chat and one["serverSeq"] > newest - 3
    ]
