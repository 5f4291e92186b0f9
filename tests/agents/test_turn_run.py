"""Does a turn end exactly once, whatever its agent does?"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection

from ahp_platform.agents import registry
from ahp_platform.agents.backend import Sink, TurnFailed, TurnRequest
from ahp_platform.agents.runner import turn_run
from ahp_platform.agents.runner.live import LiveSessions
from ahp_platform.eventlog.log import TenantLog
from sessions_app.consequences import derive
from tests.agents.conftest import CHAT, Bench, UseAgent
from tests.agents.rogues import Rogue, deaf, mute
from tests.agents.turn_runs import finished, parts, started, until

PART = {"type": "chat/responsePart", "part": {"kind": "markdown", "id": "p", "content": ""}}


async def test_a_turn_completes_when_its_agent_returns(bench: Bench) -> None:
    await finished(await started(bench, text="say hello there"))
    (turn,) = (await bench.chat())["turns"]
    assert (turn["state"], turn["responseParts"][0]["content"]) == ("complete", "hello there")
    assert (await bench.row("t1"))["state"] == "complete"


@pytest.mark.parametrize(
    ("failure", "type_", "message"),
    [
        (TurnFailed("noModel", "Choose a model."), "noModel", "Choose a model."),
        (TurnFailed("noModel", "No \ud83d."), "noModel", "No \ufffd."),
        (RuntimeError("secret at /etc/passwd"), "agentFailed", "The agent failed unexpectedly."),
        (asyncio.CancelledError(), "agentFailed", "The agent failed unexpectedly."),
    ],
)
@pytest.mark.parametrize("where", ["open", "prompt"])
async def test_an_agent_that_fails_ends_its_turn_with_an_error(
    bench: Bench, use: UseAgent, failure: BaseException, type_: str, message: str, where: str
) -> None:
    async def work(turn: TurnRequest, sink: Sink) -> None:
        raise failure

    opening = failure if where == "open" and isinstance(failure, Exception) else None
    use(Rogue(work, opening=opening))
    await finished(await started(bench))
    (turn,) = (await bench.chat())["turns"]
    assert turn["error"]["errorType"] == type_
    assert turn["error"]["message"].startswith(message)
    assert "secret" not in str(turn)
    assert (await bench.row("t1"))["error_type"] == type_


async def test_an_agent_that_is_not_installed_ends_the_turn(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(registry.backends(), "demo")
    await finished(await started(bench))
    assert "no longer installed" in (await bench.chat())["turns"][0]["error"]["message"]


async def test_an_agent_that_says_nothing_for_too_long_is_given_up(bench: Bench, use: UseAgent, settings: Any) -> None:
    settings.AHP_TURN_SILENCE_S = 0
    rogue = use(Rogue(mute))
    await finished(await started(bench))
    assert (await bench.chat())["turns"][0]["error"]["errorType"] == "agentSilent"
    assert rogue.cancelled == ["t1"]


async def test_nothing_of_a_cancelled_turn_follows_it_though_its_agent_goes_on(
    bench: Bench, use: UseAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turn_run, "CANCEL_S", 0.2)
    emitted: list[str] = []
    stop = asyncio.Event()
    sessions = LiveSessions()
    first = use(Rogue(deaf(emitted, stop)))
    old = asyncio.create_task(finished(await started(bench, sessions=sessions)))
    await until(bench, lambda state: parts(state) and parts(state)[0]["content"], "said something")
    await bench.cancel("t1")
    second = use(Rogue(deaf([], stop)))
    new = asyncio.create_task(finished(await started(bench, "t2", sessions=sessions)))
    await until(bench, lambda state: parts(state) and len(parts(state)[0]["content"]) > 10, "said more")
    await old
    assert first.cancelled == ["t1"]
    stop.set()
    await new
    cancelled, complete = (await bench.chat())["turns"]
    assert (cancelled["state"], complete["state"]) == ("cancelled", "complete")
    assert "t1" not in str(complete["responseParts"])
    assert (second.cancelled, second.closed) == ([], 0)


async def test_an_agent_that_ignores_its_cancellation_is_replaced(
    bench: Bench, use: UseAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turn_run, "CANCEL_S", 0.2)
    emitted: list[str] = []
    stop, sessions = asyncio.Event(), LiveSessions()
    use(Rogue(deaf(emitted, stop)))
    run = asyncio.create_task(finished(await started(bench, sessions=sessions)))
    await until(bench, lambda state: parts(state), "began")
    await bench.cancel("t1")
    await run
    assert "cancelled" in emitted
    answered = []

    async def work(turn: TurnRequest, sink: Sink) -> None:
        answered.append(turn.turn_id)

    use(Rogue(work))
    await finished(await started(bench, "t2", sessions=sessions))
    assert answered == ["t2"]
    stop.set()


async def test_a_turn_given_up_by_its_host_ends_with_what_the_host_says(bench: Bench, use: UseAgent) -> None:
    rogue = use(Rogue(mute))
    turn = await started(bench)
    run = asyncio.create_task(finished(turn))
    turn.stop()
    await run
    assert (await bench.chat())["turns"][0]["error"]["errorType"] == "hostStopped"
    assert (await bench.row("t1"))["state"] == "error"
    assert rogue.closed == 0


async def test_a_turn_whose_chat_went_on_before_it_began_is_closed(bench: Bench, use: UseAgent) -> None:
    asked: list[str] = []

    async def work(turn: TurnRequest, sink: Sink) -> None:
        asked.append(turn.turn_id)

    use(Rogue(work))
    turn = await started(bench)
    await bench.log.append(lambda view: view.close(CHAT))
    await finished(turn)
    assert asked == []
    assert (await bench.row("t1"))["state"] == "cancelled"


async def test_shell_commands_are_refused_where_nobody_runs_them(bench: Bench) -> None:
    await finished(await started(bench, text="!ls -l"))
    assert (await bench.chat())["turns"][0]["error"]["errorType"] == "terminalsUnavailable"


async def test_agents_cannot_end_turns_themselves(bench: Bench, use: UseAgent) -> None:
    async def work(turn: TurnRequest, sink: Sink) -> None:
        await sink.emit({"type": "chat/turnComplete", "duration": 0})

    use(Rogue(work))
    await finished(await started(bench))
    assert (await bench.chat())["turns"][0]["error"]["errorType"] == "agentFailed"


async def test_a_character_split_over_two_deltas_spoils_nothing_else(bench: Bench, use: UseAgent) -> None:
    async def work(turn: TurnRequest, sink: Sink) -> None:
        await sink.emit(PART)
        for half in ("a\ud83d", "\ude00b\x00\u2028"):
            await sink.emit({"type": "chat/delta", "partId": "p", "content": half})

    use(Rogue(work))
    await finished(await started(bench))
    (turn,) = (await bench.chat())["turns"]
    assert (turn["state"], turn["responseParts"][0]["content"]) == ("complete", "a\ufffd\ufffdb\x00\u2028")
    newcomer = TenantLog(bench.log.tenant_id, bench.log.slug, bench.log.seq, derive, lambda *_: None)
    assert await newcomer.state(CHAT) == await bench.chat()


@pytest.fixture
def refusing_database(transactional_db: None) -> Iterator[None]:
    """A database that does not take what says `unstorable`."""
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE eventlog_event ADD CONSTRAINT refusing CHECK (body NOT LIKE '%unstorable%')")
    yield
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE eventlog_event DROP CONSTRAINT refusing")


@pytest.mark.usefixtures("refusing_database")
async def test_a_turn_is_not_complete_when_what_it_said_could_not_be_stored(bench: Bench, use: UseAgent) -> None:
    async def work(turn: TurnRequest, sink: Sink) -> None:
        await sink.emit(PART)
        await sink.emit({"type": "chat/delta", "partId": "p", "content": "unstorable"})

    use(Rogue(work))
    await finished(await started(bench))
    assert (await bench.chat())["turns"][0]["error"]["errorType"] == "storage"
