"""Is a state read from the database the state that was made in memory?"""

from __future__ import annotations

from collections.abc import Mapping

from asgiref.sync import sync_to_async
from django.core.management import call_command

from ahp_platform.eventlog import batch as batches
from ahp_platform.eventlog import retention, store
from ahp_platform.eventlog.pool import fetch
from ahp_platform.eventlog.view import View
from tests.eventlog.conftest import Collector, Processes, delta, end, open_chat, start_turn


async def test_completed_turns_are_stored_once_and_read_back(processes: Processes) -> None:
    log = await processes.start()
    chat = await open_chat(log)
    for i in range(5):
        await start_turn(log, chat, f"t{i}")
        await log.emit(chat, delta(f"answer {i}", f"t{i}"), end(f"t{i}"))

    fresh = await processes.start()

    assert await fresh.state(chat) == await log.state(chat)
    query = "SELECT ordinal FROM eventlog_segment WHERE tenant_id = %s ORDER BY 1"
    rows = await fetch(query, (processes.tenant_id,), tenant=processes.tenant_id)
    assert [ordinal for (ordinal,) in rows] == [0, 1, 2, 3, 4]


async def test_truncated_turns_are_gone_for_everybody(processes: Processes) -> None:
    one, two = await processes.start(), await processes.start()
    chat = await open_chat(one)
    for i in range(4):
        await start_turn(one, chat, f"t{i}")
        await one.emit(chat, end(f"t{i}"))
    await two.state(chat)

    await one.emit(chat, {"type": "chat/truncated", "turnId": "t1"})
    await start_turn(two, chat, "t9")
    await two.emit(chat, end("t9"))

    fresh = await processes.start()
    assert [turn["id"] for turn in (await fresh.state(chat))["turns"]] == ["t0", "t1", "t9"]
    assert await fresh.state(chat) == await two.state(chat) == await one.state(chat)


async def test_checkpoints_bound_what_a_load_has_to_replay(processes: Processes) -> None:
    log = await processes.start()
    chat = await open_chat(log)
    await start_turn(log, chat)
    for i in range(batches.CHECKPOINT_EVERY + 20):
        await log.emit(chat, delta(f"{i},"))

    _, loaded = await store.load(processes.tenant_id, chat)

    assert loaded is not None
    assert loaded.since < batches.CHECKPOINT_EVERY
    assert loaded.view.state == await log.state(chat)


async def test_a_follower_gets_the_state_and_then_every_entry(processes: Processes) -> None:
    log = await processes.start()
    chat = await open_chat(log)
    await start_turn(log, chat)
    async with log.follow(chat) as feed:
        assert feed.state["activeTurn"]["id"] == "t1"
        await log.emit(chat, delta("a"), delta("b"))
        await log.append(lambda view: view.close(chat))
        assert [entry.action["content"] async for entry in feed] == ["a", "b"]


async def test_trimming_keeps_every_state_and_moves_the_floor(
    processes: Processes, settings: Mapping[str, int]
) -> None:
    log = await processes.start()
    busy, quiet = await open_chat(log, "ahp-chat:/busy"), await open_chat(log, "ahp-chat:/quiet")
    await start_turn(log, quiet)
    await start_turn(log, busy)
    await log.emit(busy, *(delta("x") for _ in range(100)))
    before = {uri: await log.state(uri) for uri in (busy, quiet)}
    settings.AHP_REPLAY_ACTIONS = 10  # type: ignore[attr-defined]

    await retention.trim()

    seq, floor = await store.clock(processes.tenant_id)
    assert floor == seq - 10
    fresh = await processes.start()
    assert {uri: await fresh.state(uri) for uri in (busy, quiet)} == before


async def test_a_process_far_behind_a_trimmed_log_starts_over(
    processes: Processes, settings: Mapping[str, int]
) -> None:
    writer, sleeper = await processes.start(lossy=True), await processes.start()
    chat = await open_chat(writer)
    await sleeper.catch_up()
    await sleeper.state(chat)
    reader = Collector()
    sleeper.register(chat, reader)
    await start_turn(writer, chat)
    await writer.emit(chat, *(delta("x") for _ in range(50)))
    settings.AHP_REPLAY_ACTIONS = 5  # type: ignore[attr-defined]
    await retention.trim()

    await sleeper.catch_up()

    assert sleeper.seq == writer.seq
    assert await sleeper.state(chat) == await writer.state(chat)


async def test_consequences_are_committed_with_what_they_follow_from(processes: Processes) -> None:
    def derive(view: View, channel: str, before: object, after: object, action: Mapping[str, object]) -> None:
        if action["type"] == "chat/turnStarted":
            view.act(channel, {"type": "chat/activityChanged", "activity": "thinking"})

    log = await processes.start(consequences=derive)
    chat = await open_chat(log)
    reader = Collector()
    log.register(chat, reader)

    await start_turn(log, chat)

    kinds = [e.action["type"] for e in reader.entries]
    assert kinds == ["chat/turnStarted", "chat/activityChanged", "chat/responsePart"]
    assert (await (await processes.start()).state(chat))["activity"] == "thinking"


async def test_after_a_restore_numbers_go_on_above_all_that_were_issued(processes: Processes) -> None:
    log = await processes.start()
    chat = await open_chat(log)
    issued = log.seq

    await sync_to_async(call_command)("after_restore")

    fresh = await processes.start()
    await start_turn(fresh, chat)
    await fresh.refresh()
    assert fresh.seq > issued + 1_000_000
    assert issued < fresh.floor <= fresh.seq
    await log.refresh()
    assert await log.state(chat) == await fresh.state(chat)
