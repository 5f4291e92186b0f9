"""What comes of agents that die, hang, flood, speak nonsense or do not listen? A clear error, and nothing else."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from typing import Any

import pytest

from ahp_platform.agents.backend import TurnFailed, TurnRequest
from ahp_platform.agents.backends.acp import process
from ahp_platform.agents.backends.acp import session as acp_session
from tests.agents.acp.conftest import NewBench
from tests.agents.acp.sessions import WITHIN_S, Bench
from tests.agents.fake_sink import FakeFiles, FakeSink


class Watched(FakeSink):
    """Says when there is something."""

    def __init__(self) -> None:
        super().__init__()
        self.first = asyncio.Event()

    async def emit(self, action: Any) -> None:
        await super().emit(action)
        if action["type"] == "chat/delta":
            self.first.set()


async def begun(bench: Bench, text: str) -> tuple[TurnRequest, Watched, asyncio.Task[None]]:
    """A turn that has said something."""
    turn, sink = bench.request(text), Watched()
    task = asyncio.create_task(bench.session.prompt(turn, sink))
    await asyncio.wait_for(sink.first.wait(), WITHIN_S)
    return turn, sink, task


async def let_go(bench: Bench, turn: TurnRequest, task: asyncio.Task[None]) -> None:
    """As the runner does it."""
    await asyncio.wait_for(bench.session.cancel(turn), WITHIN_S)
    task.cancel()
    with suppress(asyncio.CancelledError, Exception):
        await asyncio.wait_for(task, WITHIN_S)


@pytest.mark.parametrize("moment", ["initialize", "new", "prompt"])
async def test_an_agent_that_dies_says_what_it_said_but_no_secret(scripted: NewBench, moment: str) -> None:
    with pytest.raises(TurnFailed) as failed:
        await scripted(f"--die-at={moment}").say("say x")
    assert failed.value.error_type == "agentExited"
    assert failed.value.message == f"The agent Scripted ended with exit code 7. It wrote: cannot {moment}: ***"


async def test_an_agent_that_dies_in_a_turn_is_there_for_the_next(scripted: NewBench) -> None:
    bench = scripted()
    with pytest.raises(TurnFailed, match=r"exit code 3\. It wrote: out of tea"):
        await bench.say("say begun\ndie out of tea")
    assert "prompts 2, told nothing" in (await bench.say("memory")).text


async def test_an_agent_that_dies_while_resuming_ends_that_turn(scripted: NewBench) -> None:
    bench = scripted()
    await bench.say("say one")
    await bench.session.close()
    bench.session = bench.new_session("--die-at=resume")
    with pytest.raises(TurnFailed, match="cannot resume"):
        await bench.say("say two")


@pytest.mark.parametrize("moment", ["initialize", "new"])
async def test_an_agent_that_never_answers_is_given_up(
    scripted: NewBench, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    monkeypatch.setattr(process, "START_WITHIN_S", 2.0)
    monkeypatch.setattr(process.AgentProcess.call, "__defaults__", (2.0,))
    with pytest.raises(TurnFailed, match="did not answer within 2 s") as failed:
        await scripted(f"--mute-at={moment}").say("say x")
    assert failed.value.error_type == "agentSilent"


async def test_nonsense_ends_the_conversation(scripted: NewBench) -> None:
    with pytest.raises(TurnFailed, match=r"no message of the Agent Client Protocol\. It wrote: this is no message"):
        await scripted("--nonsense").say("say x")


async def test_a_banner_and_a_line_of_17_mb_are_passed_over(scripted: NewBench) -> None:
    assert (await scripted("--banner").say("say fine")).text == "fine "


async def test_half_a_character_a_number_and_a_stray_answer_are_survived(scripted: NewBench) -> None:
    half = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "\ud83d"}}
    line = json.dumps(
        {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "SESSION", "update": half}}
    )
    odd = (
        "5",
        "[]",
        '{"jsonrpc":"2.0","id":99,"result":null}',
        '{"method":"session/update","params":7}',
        "[" * 100_000,
    )
    lines = "\n".join(f"raw {each}" for each in (line, *odd))
    assert (await scripted().say(f"{lines}\nsay on")).text.endswith("on ")


async def test_reports_of_sessions_that_are_not_ours_are_not_shown(scripted: NewBench) -> None:
    text = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "stranger"}}
    line = json.dumps({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "other", "update": text}})
    assert (await scripted().say(f"raw {line}\nsay mine")).text == "mine "


async def test_an_agent_that_asks_without_end_is_ended(scripted: NewBench) -> None:
    class Slow(FakeFiles):
        async def read(self, path: str) -> str:
            await asyncio.Event().wait()
            return ""

    bench = scripted()
    with pytest.raises(TurnFailed, match="asked for more and more"):
        await bench.say("flood 1000", FakeSink(files=Slow()))
    assert "prompts 2" in (await bench.say("memory")).text


async def test_reports_without_end_of_an_agent_that_is_asked_nothing_end_it(
    scripted: NewBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(acp_session, "MAX_STRAYS", 20)
    bench = scripted()
    await bench.say("babble")
    await asyncio.wait_for(bench.launcher.started[0].wait(), WITHIN_S)
    assert "prompts 2" in (await bench.say("memory")).text


async def test_an_agent_that_wants_a_login_says_how(scripted: NewBench) -> None:
    bench = scripted("--auth", environment={"SCRIPTED_KEY": ""})
    assert (await bench.say("say in")).text == "in "


async def test_a_turn_that_takes_too_long_is_ended_with_its_agent(scripted: NewBench) -> None:
    bench = scripted(run_time_s=1)
    with pytest.raises(TurnFailed) as failed:
        await bench.say("hang")
    assert failed.value.error_type == "timeLimit"
    assert bench.launcher.started[0].returncode is not None


# ---- cancellation


async def test_a_cancelled_turn_ends_and_its_agent_goes_on(scripted: NewBench) -> None:
    bench = scripted()
    turn, _, task = await begun(bench, "say begun\nhang")
    await let_go(bench, turn, task)
    bench.history.append({"id": turn.turn_id, "message": turn.message, "responseParts": [], "state": "cancelled"})
    assert "prompts 2, told nothing" in (await bench.say("memory")).text
    assert len(bench.launcher.started) == 1


async def test_nothing_of_a_cancelled_turn_lands_in_the_next(scripted: NewBench) -> None:
    bench = scripted()
    turn, old, task = await begun(bench, "linger 60")
    await let_go(bench, turn, task)
    bench.history.append({"id": turn.turn_id, "message": turn.message, "responseParts": [], "state": "cancelled"})
    said = len(old.emitted)
    sink = await bench.say("stream 40 50")
    assert sink.text == "".join(f"{number:08}" for number in range(40))
    assert len(old.emitted) == said


async def test_an_agent_that_does_not_heed_is_ended_and_taken_up_again(
    scripted: NewBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(acp_session, "CANCEL_S", 0.3)
    bench = scripted("--deaf")
    turn, _, task = await begun(bench, "say begun\nhang")
    await let_go(bench, turn, task)
    assert bench.launcher.started[0].returncode is not None
    bench.history.append({"id": turn.turn_id, "message": turn.message, "responseParts": [], "state": "cancelled"})
    assert "prompts 2" in (await bench.say("memory")).text


async def test_one_chats_deaf_turn_does_not_end_anothers(scripted: NewBench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(acp_session, "CANCEL_S", 0.3)
    bench = scripted("--deaf")
    turn, _, task = await begun(bench, "say begun\nhang")
    other = bench.request("stream 40 20", chat="ahp-chat:/other", history=[])
    sink = Watched()
    working = asyncio.create_task(bench.session.prompt(other, sink))
    await asyncio.wait_for(sink.first.wait(), WITHIN_S)
    await let_go(bench, turn, task)
    await asyncio.wait_for(working, WITHIN_S)
    assert sink.text == "".join(f"{number:08}" for number in range(40))
    assert bench.launcher.started[0].returncode is None
    bench.history.append({"id": turn.turn_id, "message": turn.message, "responseParts": [], "state": "cancelled"})
    assert "told transcript" in (await bench.say("memory")).text


async def test_a_turn_that_is_cancelled_before_its_agent_has_started_leaves_nothing(scripted: NewBench) -> None:
    bench = scripted()
    for _ in range(20):
        turn = bench.request("say x")
        task = asyncio.create_task(bench.session.prompt(turn, FakeSink()))
        await asyncio.sleep(0)
        await let_go(bench, turn, task)
    assert (await bench.say("say y", history=[])).text == "y "
    assert len(bench.launcher.started) == 1


async def test_closing_in_the_middle_ends_the_process(scripted: NewBench) -> None:
    bench = scripted()
    _, _, task = await begun(bench, "say begun\nhang")
    await bench.session.close()
    with pytest.raises(TurnFailed):
        await asyncio.wait_for(task, WITHIN_S)
    assert bench.launcher.started[0].returncode is not None
