"""Is a turn run by a host that claims it before it has heard of it? Rows are read from the database, actions come a little later."""

from __future__ import annotations

import asyncio

import pytest

from ahp_platform.agents.runner.host import Turns
from ahp_platform.eventlog.log import TenantLog
from ahp_platform.eventlog.logs import logs
from ahp_platform.leases import host
from sessions_app.consequences import derive
from tests.agents.conftest import CHAT, SESSION, Bench
from tests.agents.turn_runs import WITHIN_S, until


async def test_a_turn_that_this_process_has_not_heard_of_yet_is_run(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    lagging = TenantLog(bench.log.tenant_id, bench.log.slug, bench.log.seq, derive, lambda *_: None)
    await lagging.ensure(SESSION)
    await lagging.ensure(CHAT)

    async def behind(_: int) -> TenantLog:
        return lagging

    monkeypatch.setattr(logs, "open", behind)
    await bench.start("t1", "say here")
    assert "activeTurn" not in lagging.peek(CHAT).state
    stop = asyncio.Event()
    running = asyncio.create_task(host.run_work(Turns(), stop))
    await until(Bench(lagging), lambda state: state["turns"], "ended")
    stop.set()
    await asyncio.wait_for(running, WITHIN_S)
    assert (await bench.row("t1"))["state"] == "complete"
    await lagging.drain()
