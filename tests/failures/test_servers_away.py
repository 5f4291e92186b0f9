"""What happens while PostgreSQL or Valkey is away, and afterwards? CASES.md 4 and 7."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import AsyncExitStack, suppress
from pathlib import Path

import psycopg
import redis

from tests.client import ROOT
from tests.conftest import Connect, connector
from tests.failures.conftest import start_cluster
from tests.interaction.conversation import accepted, begin, end_of, text_of
from tests.service import RunningService

END_OTHERS = """SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"""


def title(text: str) -> dict[str, object]:
    return {"type": "session/titleChanged", "title": text}


async def test_a_stream_survives_a_restart_of_valkey_without_a_hole(doomed: RunningService, connect: Connect) -> None:
    first, second = doomed.web_ports()
    alice, bob = await connect("alice", port=first), await connect("bob", port=second)
    talk = await begin(alice)
    await talk.joined_by(bob)
    turn_id = await talk.start("stream 400 10 10")
    await bob.action(talk.chat, "chat/delta")
    killed = doomed.pid("valkey")

    doomed.kill("valkey")
    doomed.wait_restarted("valkey", after=killed)

    for client in (alice, bob):
        await end_of(client, talk.chat, turn_id, 60)
    streams = [[e for e in c.envelopes if e["channel"] == talk.chat and e["serverSeq"] > 0] for c in (alice, bob)]
    text = ["".join(e["action"]["content"] for e in s if e["action"]["type"] == "chat/delta") for s in streams]
    assert text[0] == text[1] == text_of(talk.turn(turn_id))


async def test_killed_subscriptions_of_the_layer_leave_no_hole(doomed: RunningService, connect: Connect) -> None:
    first, second = doomed.web_ports()
    alice, bob = await connect("alice", port=first), await connect("bob", port=second)
    talk = await begin(alice)
    await talk.joined_by(bob)
    server = redis.Redis.from_url(doomed.manage("where", "redis"))

    for i in range(20):
        server.execute_command("CLIENT", "KILL", "TYPE", "pubsub")  # type: ignore[no-untyped-call]
        await accepted(alice, talk.session, title(f"t{i}"))

    await bob.action(talk.session, "session/titleChanged", within_s=30, title="t19")
    seen = [e["action"]["title"] for e in bob.envelopes if e["action"]["type"] == "session/titleChanged"]
    assert seen == [f"t{i}" for i in range(20)]


async def test_a_redis_that_stays_away_ends_connections_and_comes_back(
    doomed: RunningService, connect: Connect
) -> None:
    alice = await connect("alice", ROOT)
    os.kill(doomed.pid("valkey"), signal.SIGSTOP)
    try:
        code, _ = await alice.until_closed(60)
        assert code == 1013
        await asyncio.to_thread(doomed.wait_answer, "/readyz", 503)
    finally:
        os.kill(doomed.pid("valkey"), signal.SIGCONT)
    await asyncio.to_thread(doomed.wait_all_ready)
    talk = await begin(await connect("alice"))
    assert text_of(await talk.say("say back")) == "back"


async def test_a_restart_of_postgresql_loses_nothing_that_was_accepted(
    doomed: RunningService, connect: Connect
) -> None:
    alice = await connect("alice")
    talk = await begin(alice)
    await accepted(alice, talk.session, title("before"))
    killed = doomed.pid("postgres")

    doomed.kill("postgres")
    doomed.wait_restarted("postgres", after=killed)
    await asyncio.to_thread(doomed.wait_all_ready)

    back = await connect("alice")
    state = (await back.subscribe(talk.session))["state"]
    assert state["title"] == "before"
    await accepted(back, talk.session, title("after"))
    chat = await back.subscribe(talk.chat)
    assert chat["state"]["turns"] == []


async def test_a_database_that_is_away_fails_requests_and_closes_connections(
    doomed: RunningService, connect: Connect
) -> None:
    alice = await connect("alice", ROOT)
    with psycopg.connect(doomed.manage("where", "database"), autocommit=True) as operator:
        # New connections are not answered, and the ones that are open end.
        os.kill(doomed.pid("postgres"), signal.SIGSTOP)
        operator.execute(END_OTHERS)
    try:
        assert (await alice.refused("listSessions")).code == -32603
        code, _ = await alice.until_closed(60)
        assert code == 1013
        await asyncio.to_thread(doomed.wait_answer, "/readyz", 503)
    finally:
        os.kill(doomed.pid("postgres"), signal.SIGCONT)
    await asyncio.to_thread(doomed.wait_all_ready)
    talk = await begin(await connect("alice"))
    assert text_of(await talk.say("say back")) == "back"


async def test_numbers_go_on_after_everything_was_killed_and_redis_was_emptied(tmp_path: Path) -> None:
    service = start_cluster(tmp_path)
    async with AsyncExitStack() as stack:
        alice = await connector(service, stack)("alice", ROOT)
        talk = await begin(alice)
        for i in range(50):
            await accepted(alice, talk.session, title(f"t{i}"))
        last = max(e["serverSeq"] for e in alice.envelopes)
        seen = alice.envelopes[-10]["serverSeq"]
    os.killpg(service.process.pid, signal.SIGKILL)
    for name in ("web-1", "web-2", "host-1", "host-2", "celery", "valkey", "postgres"):
        with suppress(ProcessLookupError):
            os.kill(service.pid(name), signal.SIGKILL)
    service.process.wait(30)

    again = start_cluster(tmp_path)
    try:
        async with AsyncExitStack() as stack:
            connect = connector(again, stack)
            back = await connect("alice", initialize=False, client_id=alice.client_id)
            reply = await back.reconnect(seen, talk.session)
            assert reply["type"] == "replay"
            assert [e["serverSeq"] for e in reply["actions"]][-1] == last
            echo = await back.echo(await back.dispatch(talk.session, title("after"), client_seq=1_000))
            assert echo["serverSeq"] > last
            ahead = await connect("alice", initialize=False)
            reply = await ahead.reconnect(10**9, talk.session)
            assert reply["type"] == "snapshot"
    finally:
        again.stop()
