"""Is a plan all or nothing, and applied once?"""

from __future__ import annotations

import asyncio

import psycopg
import pytest

from ahp_platform.db import connection_params
from ahp_platform.eventlog import store
from ahp_platform.eventlog.entry import Origin
from ahp_platform.eventlog.view import Refused, View
from ahp_platform.protocol.errors import NotFound
from tests.eventlog.conftest import Collector, Processes, act, delta, open_chat, start_turn, text_of


async def test_a_refused_plan_leaves_nothing_behind(processes: Processes) -> None:
    log = await processes.start()
    chat = await open_chat(log)
    await start_turn(log, chat)
    before = log.seq

    def plan(view: View) -> None:
        view.act(chat, delta("half"))
        raise Refused("no")

    with pytest.raises(Refused):
        await log.append(plan)

    assert log.seq == before == (await store.clock(processes.tenant_id))[0]
    assert text_of(await log.state(chat)) == ""


async def test_a_failing_statement_takes_its_own_plan_along_and_no_other(processes: Processes) -> None:
    log = await processes.start()
    chat = await open_chat(log)
    await start_turn(log, chat)

    def broken(view: View) -> None:
        view.act(chat, delta("broken"))
        view.sql("INSERT INTO no_such_table VALUES (%s)", (1,))

    results = await asyncio.gather(
        log.append(act(chat, delta("a"))), log.append(broken), log.append(act(chat, delta("b"))), return_exceptions=True
    )

    assert isinstance(results[1], Exception)
    assert text_of(await log.state(chat)) == "ab"
    assert text_of(await (await processes.start()).state(chat)) == "ab"


async def test_the_same_client_sequence_number_acts_once(processes: Processes) -> None:
    one, two = await processes.start(), await processes.start()
    chat = await open_chat(one)
    await start_turn(one, chat)
    origin = Origin("client", 7, 1)

    outcomes = await asyncio.gather(
        *(log.append(act(chat, delta("x")), origin) for log in (one, one, two, two)),
    )
    again = await two.append(act(chat, delta("x")), origin)

    assert sorted(o.status for o in outcomes) == ["applied", "duplicate", "duplicate", "duplicate"]
    assert again.status == "duplicate"
    assert text_of(await one.state(chat)) == "x"


async def test_a_client_that_begins_a_new_life_may_count_from_one_again(processes: Processes) -> None:
    log = await processes.start()
    chat = await open_chat(log)
    await start_turn(log, chat)

    for life in (1, 2):
        assert (await log.append(act(chat, delta("x")), Origin("client", 1, life))).status == "applied"


async def test_an_action_that_changes_nothing_takes_no_number(processes: Processes) -> None:
    log = await processes.start()
    chat = await open_chat(log)
    before = log.seq

    outcome = await log.append(act(chat, delta("for no turn")))

    assert (outcome.status, outcome.seq, log.seq) == ("unchanged", before, before)


async def test_a_channel_that_does_not_exist_is_not_found(processes: Processes) -> None:
    log = await processes.start()
    with pytest.raises(NotFound):
        await log.state("ahp-chat:/none")
    with pytest.raises(NotFound):
        await log.append(act("ahp-chat:/none", delta("x")))


async def test_two_processes_open_the_same_channel_and_one_wins(processes: Processes) -> None:
    one, two = await processes.start(), await processes.start()
    won: list[str] = []

    def opening(name: str) -> object:
        def plan(view: View) -> None:
            if view.exists("ahp-chat:/same"):
                raise Refused("taken")
            view.open("ahp-chat:/same", "chat", {"resource": name, "turns": []})

        return plan

    results = await asyncio.gather(
        one.append(opening("one")),  # type: ignore[arg-type]
        two.append(opening("two")),  # type: ignore[arg-type]
        return_exceptions=True,
    )

    assert sum(isinstance(r, Refused) for r in results) == 1, won
    assert (await one.state("ahp-chat:/same")) == (await two.state("ahp-chat:/same"))


async def test_a_channel_closed_and_opened_again_has_the_new_state_everywhere(processes: Processes) -> None:
    one, two = await processes.start(), await processes.start()
    chat = await open_chat(one)
    await start_turn(one, chat)
    await two.state(chat)
    reader = Collector()
    two.register(chat, reader)

    await one.append(lambda view: view.close(chat))
    with pytest.raises(NotFound):
        await two.state(chat)
    await open_chat(one)

    assert "activeTurn" not in await two.state(chat)
    assert [e.kind for e in reader.entries] == [3, 2]


async def test_connections_that_break_during_appends_neither_lose_nor_repeat(processes: Processes) -> None:
    log = await processes.start()
    chat = await open_chat(log)
    await start_turn(log, chat)
    kill = """SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name = 'ahp-log'"""

    async def write() -> None:
        for i in range(300):
            await log.append(act(chat, delta(f"{i},")))

    async def break_connections() -> None:
        for _ in range(5):
            await log.append(lambda view: None)
            # As the owner: the service may not end connections, not even its own.
            async with await psycopg.AsyncConnection.connect(**connection_params(), autocommit=True) as owner:
                await owner.execute(kill)

    await asyncio.gather(write(), break_connections())

    assert text_of(await log.state(chat)) == "".join(f"{i}," for i in range(300))
    assert text_of(await (await processes.start()).state(chat)) == text_of(await log.state(chat))
