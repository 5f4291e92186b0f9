"""Does a process that is killed take anything along? CASES.md 3, 8, 13, 14."""

from __future__ import annotations

import asyncio

from tests.client import Client, Message
from tests.conftest import Connect
from tests.interaction.conversation import accepted, begin, end_of, new_session, refusal, text_of, turn_started
from tests.service import RunningService

AFTER_A_LEASE_S = 60.0
COMPLETE = {"type": "chat/turnComplete", "duration": 0}


def numbers(client: Client, channel: str) -> list[int]:
    return [e["serverSeq"] for e in client.envelopes if e["channel"] == channel and "rejectionReason" not in e]


def ended(envelopes: list[Message], turn_id: str) -> bool | None:
    return any(e["action"] | {"duration": 0} == {**COMPLETE, "turnId": turn_id} for e in envelopes) or None


async def test_two_web_processes_write_at_once_and_every_client_sees_one_order(
    doomed: RunningService, connect: Connect
) -> None:
    one, two = [await connect(user, port=port) for user, port in zip(("alice", "bob"), doomed.web_ports(), strict=True)]
    talk = await begin(one)
    other = await talk.joined_by(two)
    start = max(numbers(one, talk.session), default=0)

    for i in range(500):
        for client in (one, two):
            title = {"type": "session/titleChanged", "title": f"{client.client_id} {i}"}
            await client.dispatch(talk.session, title)
    for client in (one, two):
        await client.until(
            lambda client=client: sum(e["action"]["type"] == "session/titleChanged" for e in client.envelopes) >= 1000,  # type: ignore[misc]
            "all titles",
            60,
        )

    seen = [[e for e in c.envelopes if e["channel"] == talk.session and e["serverSeq"] > start] for c in (one, two)]
    assert seen[0] == seen[1]
    assert numbers(one, talk.session) == sorted(set(numbers(one, talk.session)))
    middle = seen[0][333]["serverSeq"]
    again = await connect("alice", port=doomed.web_ports()[1], initialize=False, client_id=one.client_id)
    reply = await again.reconnect(middle, talk.session)
    assert reply["actions"] == [e for e in seen[0] if e["serverSeq"] > middle]
    assert other.session == talk.session


async def test_a_client_of_a_killed_web_process_goes_on_at_the_other_without_a_hole(
    doomed: RunningService, connect: Connect
) -> None:
    first, second = doomed.web_ports()
    alice, bob = await connect("alice", port=second), await connect("bob", port=first)
    talk = await begin(alice)
    await talk.joined_by(bob)
    turn_id = await talk.start("stream 600 10 2")
    await bob.action(talk.chat, "chat/delta", within_s=30)
    killed = doomed.pid("web-1")

    doomed.kill("web-1")
    await bob.until_closed()
    last = max(e["serverSeq"] for e in bob.envelopes)
    back = await connect("bob", port=second, initialize=False, client_id=bob.client_id)
    reply = await back.reconnect(last, talk.session, talk.chat)
    await end_of(alice, talk.chat, turn_id, 60)
    await back.until(lambda: ended(reply["actions"] + back.envelopes, turn_id), "the end", 60)

    def deltas(envelopes: list[dict[str, object]]) -> str:
        return "".join(e["action"]["content"] for e in envelopes if e["action"]["type"] == "chat/delta")  # type: ignore[index]

    assert reply["type"] == "replay"
    assert deltas([*bob.envelopes, *reply["actions"], *back.envelopes]) == deltas(alice.envelopes)
    doomed.wait_restarted("web-1", after=killed)


async def test_turns_of_a_killed_host_end_with_an_error_and_leave_nothing_open(
    doomed: RunningService, connect: Connect
) -> None:
    alice = await connect("alice")
    asking, confirming, streaming = [await begin(alice) for _ in range(3)]
    turns = {
        asking: await asking.start("ask"),
        confirming: await confirming.start("tool note.txt hello"),
        streaming: await streaming.start("stream 100000 10 20"),
    }
    request = (await asking.action("chat/inputRequested"))["request"]
    call = await confirming.action("chat/toolCallReady")
    await streaming.action("chat/delta")
    killed = {name: doomed.pid(name) for name in ("host-1", "host-2")}

    for name in killed:
        doomed.kill(name)

    for talk, turn_id in turns.items():
        ending = await talk.ended(turn_id, AFTER_A_LEASE_S)
        assert ending["type"] == "chat/error"
        assert "Traceback" not in ending["error"]["message"]
    for talk in turns:
        state = (await alice.subscribe(talk.session))["state"]
        assert (state["status"] & 24) != 24, "nothing is asked any more"
        assert not state.get("inputNeeded")
        assert not (await alice.subscribe(talk.chat))["state"]["status"] & 8, "nothing is in progress"
    confirmed = {"approved": True, "confirmed": "user-action", "toolCallId": call["toolCallId"]}
    await refusal(alice, confirming.chat, {"type": "chat/toolCallConfirmed", "turnId": turns[confirming], **confirmed})
    await refusal(alice, asking.chat, {"type": "chat/inputCompleted", "requestId": request["id"], "response": "cancel"})
    for name, pid in killed.items():
        doomed.wait_restarted(name, after=pid)
    assert "again" in text_of(await streaming.say("say again"))


async def test_a_killed_celery_worker_delays_a_session_and_prepares_it_once(
    doomed: RunningService, connect: Connect
) -> None:
    alice = await connect("alice")
    killed = doomed.pid("celery")
    doomed.kill("celery")
    session = new_session()

    await alice.request("createSession", {"channel": session, "provider": "demo"})
    state = (await alice.subscribe(session))["state"]
    await alice.subscribe(state["defaultChat"])
    turn = turn_started("say after all")
    await accepted(alice, state["defaultChat"], turn)
    await end_of(alice, state["defaultChat"], turn["turnId"], 60)

    doomed.wait_restarted("celery", after=killed)
    ready = [e for e in alice.envelopes if e["channel"] == session and e["action"]["type"] == "session/ready"]
    assert len(ready) + (state["lifecycle"] == "ready") == 1


async def test_client_tools_of_a_killed_web_process_end_after_the_grace_period(
    doomed: RunningService, connect: Connect
) -> None:
    first, second = doomed.web_ports()
    alice, bob = await connect("alice", port=second), await connect("bob", port=first)
    talk = await begin(alice)
    tool = {"name": "pick", "description": "asks", "inputSchema": {"type": "object", "properties": {}}}
    active = {"clientId": bob.client_id, "tools": [tool]}
    await bob.subscribe(talk.session)
    await accepted(bob, talk.session, {"type": "session/activeClientSet", "activeClient": active})
    turn_id = await talk.start("client pick {}")
    await alice.action(talk.chat, "chat/toolCallReady", turnId=turn_id)
    killed = doomed.pid("web-1")

    doomed.kill("web-1")

    ended = await alice.action(talk.chat, "chat/toolCallComplete", within_s=AFTER_A_LEASE_S, turnId=turn_id)
    assert ended["action"]["result"]["success"] is False
    assert (await talk.ended(turn_id, 30))["type"] == "chat/turnComplete"
    doomed.wait_restarted("web-1", after=killed)


async def test_an_agents_turn_outlives_the_web_processes(doomed: RunningService, connect: Connect) -> None:
    alice = await connect("alice", port=doomed.web_ports()[0])
    talk = await begin(alice)
    turn_id = await talk.start("stream 300 10 5")
    await alice.action(talk.chat, "chat/delta")
    last = max(e["serverSeq"] for e in alice.envelopes)
    killed = {name: doomed.pid(name) for name in ("web-1", "web-2")}

    for name in killed:
        doomed.kill(name)
    for name, pid in killed.items():
        doomed.wait_restarted(name, after=pid)
    await asyncio.to_thread(doomed.wait_answer, "/readyz", 200)

    back = await connect("alice", initialize=False, client_id=alice.client_id)
    reply = await back.reconnect(last, talk.chat)
    assert reply["type"] == "replay"
    await back.until(lambda: ended(reply["actions"] + back.envelopes, turn_id), "the end", 60)
