"""Does what a turn says arrive whole, in order, in few commits?"""

from __future__ import annotations

import asyncio

import pytest

from ahp_platform.agents.backend import TurnOver
from ahp_platform.agents.runner.part_limit import LIMIT, PartLimit
from ahp_platform.agents.runner.writer import MAX_QUEUED, TurnWriter
from ahp_platform.agents.turns import TurnKey
from ahp_platform.eventlog import sql
from ahp_platform.eventlog.pool import connection_of
from tests.agents.conftest import CHAT, Bench

PART = {"type": "chat/responsePart", "turnId": "t1", "part": {"kind": "markdown", "id": "p", "content": ""}}


def delta(text: str) -> dict[str, str]:
    return {"type": "chat/delta", "turnId": "t1", "partId": "p", "content": text}


async def writer(bench: Bench) -> TurnWriter:
    await bench.start("t1")
    made = TurnWriter(bench.log, TurnKey(bench.log.tenant_id, CHAT, "t1"))
    await made.put(PART)
    return made


async def said(bench: Bench) -> str:
    state = await bench.chat()
    turn = state.get("activeTurn") or state["turns"][-1]
    return "".join(part["content"] for part in turn["responseParts"])


async def test_a_flood_arrives_in_order_in_few_commits_each_action_its_own(bench: Bench) -> None:
    made = await writer(bench)
    commits: set[int] = set()
    async with bench.log.follow(CHAT) as feed:
        for i in range(5_000):
            await made.put(delta(f"{i:05}"))
        await made.drain()
        seen = []
        async for entry in feed:
            if entry.action["type"] == "chat/delta":
                seen.append(entry.action["content"])
                commits.add(entry.now_ms)
            if len(seen) == 5_000:
                break
    assert seen == [f"{i:05}" for i in range(5_000)]
    assert await said(bench) == "".join(seen)
    assert len(commits) <= 5_000 / MAX_QUEUED * 2


async def test_an_answer_longer_than_a_part_is_stored_whole(bench: Bench) -> None:
    made = await writer(bench)
    said_by_agent = [f"{i:08}" * 1_000 for i in range(3 * LIMIT // 8_000)]
    for text in said_by_agent:
        await made.put(delta(text))
    await made.drain()
    assert await said(bench) == "".join(said_by_agent)
    assert len((await bench.chat())["activeTurn"]["responseParts"]) > 1


async def test_a_lone_action_leaves_without_waiting_for_more(bench: Bench) -> None:
    made = await writer(bench)
    await made.put(delta("alone"))
    await asyncio.wait_for(made.drain(), 5)
    assert await said(bench) == "alone"


async def test_a_log_that_is_slow_makes_the_agent_wait(bench: Bench) -> None:
    made = await writer(bench)
    await made.drain()
    produced = 0

    async def produce() -> None:
        nonlocal produced
        for _ in range(10 * MAX_QUEUED):
            await made.put(delta("x"))
            produced += 1

    async with connection_of(bench.log.tenant_id) as conn, conn.transaction():
        await conn.execute(sql.LOCK_CLOCK, (bench.log.tenant_id,))
        producing = asyncio.create_task(produce())
        done, _ = await asyncio.wait({producing}, timeout=0.2)
        assert not done
        assert produced <= 2 * MAX_QUEUED
    await asyncio.wait_for(producing, 10)
    await made.drain()
    assert len(await said(bench)) == 10 * MAX_QUEUED


async def test_what_was_queued_when_the_turn_ended_is_dropped_and_more_is_refused(bench: Bench) -> None:
    made = await writer(bench)
    await made.drain()
    await made.put(delta("late"))
    await bench.cancel("t1")
    made.close()
    with pytest.raises(TurnOver):
        await made.put(delta("later"))
    await made.drain()
    assert "later" not in await said(bench)


async def test_actions_without_a_turn_id_do_not_outlive_the_turn_either(bench: Bench) -> None:
    made = await writer(bench)
    await made.drain()
    await bench.cancel("t1")
    await bench.start("t2")
    request = {"id": "r", "questions": []}
    await made.put({"type": "chat/inputRequested", "request": request})
    await made.drain()
    assert (await bench.chat())["activeTurn"]["responseParts"] == []


def test_a_part_that_is_full_goes_on_in_a_new_one_and_reads_as_before() -> None:
    limit = PartLimit()
    said = [delta(f"{i:08}" * 1_000) for i in range(100)]
    told = [each for action in said for each in limit.within(action)]

    opened = [each["part"]["id"] for each in told if each["type"] == "chat/responsePart"]
    deltas = [each for each in told if each["type"] == "chat/delta"]
    assert "".join(each["content"] for each in deltas) == "".join(each["content"] for each in said)
    assert list(dict.fromkeys(each["partId"] for each in deltas)) == ["p", *opened]
    for part in ["p", *opened]:
        assert sum(len(each["content"]) for each in deltas if each["partId"] == part) <= LIMIT
