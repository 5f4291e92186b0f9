"""Is the log bounded by what it takes on the disk, whatever is written?"""

from __future__ import annotations

import random
import string
from typing import Any

import pytest

from ahp_platform.eventlog import retention, store, weights
from ahp_platform.eventlog.log import TenantLog
from ahp_platform.eventlog.pool import fetch
from tests.eventlog.conftest import Processes, delta, open_chat, start_turn

MB = 1024 * 1024
STORED = "SELECT coalesce(sum(pg_column_size(body)), 0)::int8 FROM eventlog_event WHERE tenant_id = %s"


@pytest.fixture(autouse=True)
def small_window(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """One megabyte; nothing is known from other tests."""
    settings.AHP_REPLAY_MB = 1
    monkeypatch.setattr(retention, "_weights", weights.Weights())


async def flood(log: TenantLog, chat: str, count: int, size: int = 10_000) -> None:
    """So many pieces that nothing makes smaller."""
    chance = random.Random(7)
    for _ in range(count // 10):
        await log.emit(chat, *(delta("".join(chance.choices(string.printable[:90], k=size))) for _ in range(10)))


async def stored(processes: Processes) -> int:
    ((size,),) = await fetch(STORED, (processes.tenant_id,), tenant=processes.tenant_id)
    return int(size)


async def begun(processes: Processes) -> tuple[TenantLog, str]:
    log = await processes.start()
    chat = await open_chat(log)
    await start_turn(log, chat)
    return log, chat


async def test_what_is_beyond_the_bytes_goes_and_the_state_stays(processes: Processes) -> None:
    log, chat = await begun(processes)
    await flood(log, chat, 2_000, size=2_000)
    before = await log.state(chat)
    assert await stored(processes) > 3 * MB

    await retention.trim()

    assert 0.5 * MB < await stored(processes) <= MB
    seq, floor = await store.clock(processes.tenant_id)
    assert 0 < floor < seq
    assert await (await processes.start()).state(chat) == before


async def test_it_goes_on_with_every_look(processes: Processes) -> None:
    log, chat = await begun(processes)
    for _ in range(3):
        await flood(log, chat, 200)
        await retention.trim()
        assert await stored(processes) <= MB
    assert await (await processes.start()).state(chat) == await log.state(chat)


async def test_running_sums_say_what_a_first_look_says(processes: Processes) -> None:
    log, chat = await begun(processes)
    running = weights.Weights()
    for _ in range(5):
        await flood(log, chat, 130)
        seq, floor = await store.clock(processes.tenant_id)
        found = [await each.due(processes.tenant_id, floor, seq, MB) for each in (running, weights.Weights())]
        assert abs(found[0] - found[1]) <= weights.ROWS
        assert await running.due(processes.tenant_id, floor, seq, 1000 * MB) == floor


async def test_a_look_reads_only_what_is_new(processes: Processes, monkeypatch: pytest.MonkeyPatch) -> None:
    log, chat = await begun(processes)
    asked: list[tuple[int, int]] = []

    async def listened(query: str, params: Any, *, tenant: int) -> Any:
        asked.append(params[2:4])
        return await fetch(query, params, tenant=tenant)

    monkeypatch.setattr(weights, "fetch", listened)
    sums = weights.Weights()
    clocks = []
    for _ in range(3):
        await flood(log, chat, 50)
        clocks.append((await store.clock(processes.tenant_id))[0])
        await sums.due(processes.tenant_id, 0, clocks[-1], MB)
        await sums.due(processes.tenant_id, 0, clocks[-1], MB)
    assert asked == [(0, clocks[0]), (clocks[0], clocks[1]), (clocks[1], clocks[2])]


async def test_what_is_within_the_bytes_stays_beside_a_large_tenant(
    processes: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def large() -> int:
        return 1000 * MB

    log, chat = await begun(processes)
    await flood(log, chat, 50)
    monkeypatch.setattr(weights, "table_size", large)
    await retention.trim()
    assert (await store.clock(processes.tenant_id))[1] == 0


async def test_the_log_of_an_older_database_is_weighed_anew(processes: Processes) -> None:
    log, chat = await begun(processes)
    sums = weights.Weights()
    await flood(log, chat, 200)
    seq, _ = await store.clock(processes.tenant_id)
    assert await sums.due(processes.tenant_id, 0, seq, MB) > 0
    assert await sums.due(processes.tenant_id, 0, 20, MB) == 0
