"""What happens to the turns of hosts that are killed? Separate processes, kill -9."""

from __future__ import annotations

import asyncio

from tests.agents.chats import ended, open_session, say, start
from tests.conftest import Connect
from tests.interaction.conversation import text_of
from tests.service import RunningService

HOSTS = ("host-1", "host-2")

# The lease of 15 s, a look every second, and the time that a host needs to start again.
WITHIN_S = 45.0


async def test_turns_of_killed_hosts_end_with_an_error_and_nothing_stays_open(
    cluster: RunningService, connect_cluster: Connect
) -> None:
    alice, bob = await connect_cluster("alice"), await connect_cluster("bob")
    session, chat = await open_session(alice)
    asked = await start(alice, chat, "ask")
    request = (await alice.action(chat, "chat/inputRequested"))["action"]["request"]
    other, other_chat = await open_session(bob)
    confirming = await start(bob, other_chat, "tool x.txt x")
    ready = (await bob.action(other_chat, "chat/toolCallReady"))["action"]
    _, busy_chat = await open_session(bob)
    busy = await start(bob, busy_chat, "stream 100000 8 10")
    await bob.action(busy_chat, "chat/delta")

    pids = {name: cluster.pid(name) for name in HOSTS}
    for name in HOSTS:
        await asyncio.to_thread(cluster.kill, name)
    for client, where, turn_id in ((alice, chat, asked), (bob, other_chat, confirming), (bob, busy_chat, busy)):
        turn = await ended(client, where, turn_id, WITHIN_S)
        assert (turn["state"], turn["error"]["errorType"]) == ("error", "hostLost")
    for client, where in ((alice, session), (bob, other)):
        state = (await client.subscribe(where))["state"]
        assert (state["status"] & 31, state.get("inputNeeded", [])) == (2, [])

    confirm = {"turnId": confirming, "toolCallId": ready["toolCallId"], "approved": True, "confirmed": "user-action"}
    for client, where, late in (
        (bob, other_chat, {"type": "chat/toolCallConfirmed", **confirm}),
        (alice, chat, {"type": "chat/inputCompleted", "requestId": request["id"], "response": "decline"}),
    ):
        assert "rejectionReason" in await client.echo(await client.dispatch(where, late))
    for name, pid in pids.items():
        await asyncio.to_thread(cluster.wait_restarted, name, pid)
    assert text_of(await say(alice, chat, "say goes on")) == "goes on"
