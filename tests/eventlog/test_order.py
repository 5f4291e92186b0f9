"""Are numbers issued once, in order, whoever writes?"""

from __future__ import annotations

import asyncio
import random

from ahp_platform.eventlog import store
from tests.eventlog.conftest import Collector, Processes, act, delta, open_chat, start_turn, text_of


async def test_one_writer_gets_rising_numbers_without_a_hole(processes: Processes) -> None:
    log = await processes.start()
    chat = await open_chat(log)
    await start_turn(log, chat)
    reader = Collector()
    log.register(chat, reader)
    first = log.seq

    await asyncio.gather(*(log.append(act(chat, delta(f"{i},"))) for i in range(500)))

    assert reader.numbers == list(range(first + 1, first + 501))
    assert text_of(await log.state(chat)) == "".join(f"{i}," for i in range(500))


async def test_two_processes_writing_at_once_lose_and_repeat_nothing(processes: Processes) -> None:
    one, two = await processes.start(), await processes.start()
    chat = await open_chat(one)
    await start_turn(one, chat)
    await two.state(chat)
    readers = Collector(), Collector()
    one.register(chat, readers[0])
    two.register(chat, readers[1])
    first = one.seq

    writes = [
        log.append(act(chat, delta(f"{name}{i},"))) for i in range(1000) for name, log in (("a", one), ("b", two))
    ]
    await asyncio.gather(*writes)
    await one.catch_up()
    await two.catch_up()

    assert readers[0].numbers == readers[1].numbers == list(range(first + 1, first + 2001))
    assert text_of(await one.state(chat)) == text_of(await two.state(chat))
    pieces = text_of(await one.state(chat)).split(",")
    assert [p for p in pieces if p.startswith("a")] == [f"a{i}" for i in range(1000)]
    assert [p for p in pieces if p.startswith("b")] == [f"b{i}" for i in range(1000)]


async def test_replay_from_any_number_returns_exactly_the_larger_ones(processes: Processes) -> None:
    log = await processes.start()
    chats = [await open_chat(log, f"ahp-chat:/{i}") for i in range(3)]
    for chat in chats:
        await start_turn(log, chat)
    await asyncio.gather(*(log.append(act(random.Random(i).choice(chats), delta("x"))) for i in range(200)))
    everything = await store.replay(processes.tenant_id, 0, log.seq, chats)

    for seen in range(0, log.seq + 1, 7):
        replayed = await store.replay(processes.tenant_id, seen, log.seq, chats)
        assert [e.seq for e in replayed] == [e.seq for e in everything if e.seq > seen]
        in_memory = log.recent.actions(seen, chats)
        assert in_memory is not None
        assert [e.seq for e in in_memory] == [e.seq for e in replayed]


async def test_a_process_that_heard_nothing_commits_on_top_of_what_it_missed(processes: Processes) -> None:
    one, deaf = await processes.start(lossy=True), await processes.start()
    chat = await open_chat(one)
    await start_turn(one, chat)
    await deaf.catch_up()
    await deaf.state(chat)
    await one.emit(chat, delta("first,"))

    await deaf.emit(chat, delta("second"))

    assert text_of(await deaf.state(chat)) == "first,second"


async def test_a_refusal_is_not_judged_by_an_old_state(processes: Processes) -> None:
    one, deaf = await processes.start(lossy=True), await processes.start()
    await one.append(lambda view: None)
    found: list[bool] = []
    await deaf.append(lambda view: found.append(view.exists("ahp-chat:/c")))
    await open_chat(one)

    await deaf.append(lambda view: found.append(view.exists("ahp-chat:/c")))

    assert found[-1]


async def test_a_crash_between_commit_and_publish_is_found_by_the_next_look_at_the_clock(processes: Processes) -> None:
    crashed, other = await processes.start(lossy=True), await processes.start()
    chat = await open_chat(crashed)
    reader = Collector()
    other.register(chat, reader)
    await start_turn(crashed, chat)

    seq, _ = await store.clock(processes.tenant_id)
    other.receive((), seq)
    await other.state(chat)
    await other.catch_up()

    assert [e.action["type"] for e in reader.entries if e.kind == 0] == ["chat/turnStarted", "chat/responsePart"]
