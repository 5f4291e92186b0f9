"""Does a turn end exactly once, whatever its agent does?"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from ahp_platform.agents import registry
from ahp_platform.agents.backend import Decision, Json, Sink, ToolCall, TurnFailed, TurnRequest
from ahp_platform.agents.runner import turn_run
from ahp_platform.agents.runner.active import error
from ahp_platform.agents.runner.live import LiveSessions
from ahp_platform.agents.runner.turn_run import TurnRun
from tests.agents.conftest import CHAT, Bench, holder
from tests.agents.rogues import Rogue, deaf, mute

WITHIN_S = 15.0

UseAgent = Callable[[Rogue], Rogue]


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch) -> UseAgent:
    """Installs an agent as provider `demo`."""

    def install(rogue: Rogue) -> Rogue:
        monkeypatch.setitem(registry.backends(), "demo", rogue)
        return rogue

    return install


async def started(bench: Bench, turn_id: str = "t1", text: str = "go", sessions: LiveSessions | None = None) -> TurnRun:
    await bench.start(turn_id, text)
    (claim,) = await bench.claim(holder())
    return TurnRun(claim, bench.log, sessions or LiveSessions())


async def finished(run: TurnRun) -> None:
    await asyncio.wait_for(run.run(), WITHIN_S)


async def until(bench: Bench, test: Callable[[Any], Any], what: str) -> None:
    """Wait until the chat's state fits."""

    async def look() -> None:
        async with bench.log.follow(CHAT) as feed:
            if test(feed.state):
                return
            async for _ in feed:
                if test(await bench.chat()):
                    return

    try:
        await asyncio.wait_for(look(), WITHIN_S)
    except TimeoutError:
        raise AssertionError(f"never {what}") from None


def parts(state: Any) -> list[Json]:
    turn = state.get("activeTurn") or state["turns"][-1]
    return list(turn["responseParts"])


def call_status(state: Any) -> list[str]:
    return [part["toolCall"]["status"] for part in parts(state) if part["kind"] == "toolCall"]


async def test_a_turn_completes_when_its_agent_returns(bench: Bench) -> None:
    await finished(await started(bench, text="say hello there"))
    (turn,) = (await bench.chat())["turns"]
    assert (turn["state"], turn["responseParts"][0]["content"]) == ("complete", "hello there")
    assert (await bench.row("t1"))["state"] == "complete"


@pytest.mark.parametrize(
    ("failure", "type_", "message"),
    [
        (TurnFailed("noModel", "Choose a model."), "noModel", "Choose a model."),
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
    assert "not installed" in (await bench.chat())["turns"][0]["error"]["message"]


async def test_an_agent_that_says_nothing_for_too_long_is_given_up(bench: Bench, use: UseAgent, settings: Any) -> None:
    settings.AHP_TURN_SILENCE_S = 0
    rogue = use(Rogue(mute))
    await finished(await started(bench))
    assert (await bench.chat())["turns"][0]["error"]["errorType"] == "agentSilent"
    assert rogue.cancelled == ["t1"]


async def test_an_agent_that_waits_for_people_is_not_silent(bench: Bench, settings: Any) -> None:
    settings.AHP_TURN_SILENCE_S = 0.2
    run = asyncio.create_task(finished(await started(bench, text="ask")))
    await until(bench, lambda state: parts(state), "asked")
    await asyncio.wait({run}, timeout=2 * turn_run.CHECK_SILENCE_EVERY_S)
    (request,) = [part["request"] for part in parts(await bench.chat())]
    await bench.act("chat/inputCompleted", requestId=request["id"], response="decline")
    await run
    assert (await bench.chat())["turns"][0]["state"] == "complete"


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


@pytest.mark.parametrize("ending", ["cancel", "error", "truncate", "close"])
async def test_whoever_waits_for_a_confirmation_is_released_when_the_turn_ends(
    bench: Bench, use: UseAgent, ending: str
) -> None:
    decisions: list[Decision] = []

    async def work(turn: TurnRequest, sink: Sink) -> None:
        await sink.emit({"type": "chat/toolCallStart", "toolCallId": "c", "toolName": "t", "displayName": "T"})
        decisions.append(await sink.confirm(ToolCall("c", "{}", "Do it")))
        await asyncio.sleep(0)

    use(Rogue(work))
    run = asyncio.create_task(finished(await started(bench)))
    await until(bench, lambda state: call_status(state) == ["pending-confirmation"], "asked")
    if ending == "cancel":
        await bench.cancel("t1")
    elif ending == "error":
        await bench.act("chat/error", turnId="t1", duration=1, error={"errorType": "x", "message": "y"})
    elif ending == "truncate":
        await bench.act("chat/truncated")
    else:
        await bench.log.append(lambda view: view.close(CHAT))
    await run
    assert [decision.approved for decision in decisions] == [False]


async def test_a_call_that_is_ready_and_then_needs_permission_runs_once_after_approval(
    bench: Bench, use: UseAgent
) -> None:
    executed: list[str] = []

    async def work(turn: TurnRequest, sink: Sink) -> None:
        call = ToolCall("c", "first", "Do it")
        await sink.emit({"type": "chat/toolCallStart", "toolCallId": "c", "toolName": "t", "displayName": "T"})
        ready = {"invocationMessage": "Do it", "toolInput": "first", "confirmed": "not-needed"}
        await sink.emit({"type": "chat/toolCallReady", "toolCallId": "c", **ready})
        await asyncio.sleep(0.005)
        both = await asyncio.gather(sink.confirm(call), sink.confirm(ToolCall("c", "second", "Do it")))
        assert both[0].approved
        executed.append(both[1].tool_input)
        result = {"success": True, "pastTenseMessage": "Done"}
        await sink.emit({"type": "chat/toolCallComplete", "toolCallId": "c", "result": result})

    use(Rogue(work))
    run = asyncio.create_task(finished(await started(bench)))
    await until(bench, lambda state: call_status(state) == ["pending-confirmation"], "asked")
    assert executed == []
    await bench.act("chat/toolCallConfirmed", turnId="t1", toolCallId="c", approved=True, confirmed="user-action")
    await run
    assert executed == ["second"]
    assert call_status(await bench.chat()) == ["completed"]


async def test_an_edited_input_and_the_chosen_option_reach_the_agent(bench: Bench, use: UseAgent) -> None:
    decisions: list[Decision] = []

    async def work(turn: TurnRequest, sink: Sink) -> None:
        for call in ("a", "b"):
            await sink.emit({"type": "chat/toolCallStart", "toolCallId": call, "toolName": "t", "displayName": "T"})
            decisions.append(await sink.confirm(ToolCall(call, "{}", "Do it")))

    use(Rogue(work))
    run = asyncio.create_task(finished(await started(bench)))
    await until(bench, lambda state: call_status(state) == ["pending-confirmation"], "asked")
    confirm = {"turnId": "t1", "toolCallId": "a", "approved": True, "confirmed": "user-action"}
    await bench.act("chat/toolCallConfirmed", **confirm, editedToolInput="edited", selectedOptionId="allow-once")
    await until(bench, lambda state: call_status(state)[1:] == ["pending-confirmation"], "asked again")
    wish = {"text": "elsewhere", "origin": {"kind": "user"}}
    denied = {"turnId": "t1", "toolCallId": "b", "approved": False, "reason": "denied", "userSuggestion": wish}
    await bench.act("chat/toolCallConfirmed", **denied, selectedOptionId="deny")
    await run
    allow, deny = decisions
    assert (allow.approved, allow.tool_input, allow.option and allow.option["id"]) == (True, "edited", "allow-once")
    assert (deny.approved, deny.suggestion, deny.option and deny.option["id"]) == (False, "elsewhere", "deny")


async def test_steering_reaches_the_agent_and_is_removed(bench: Bench, use: UseAgent) -> None:
    go_on = asyncio.Event()

    async def work(turn: TurnRequest, sink: Sink) -> None:
        await go_on.wait()

    rogue = use(Rogue(work))
    early = {"text": "early", "origin": {"kind": "user"}}
    await bench.act("chat/pendingMessageSet", kind="steering", id="s1", message=early)
    run = asyncio.create_task(finished(await started(bench)))
    await until(bench, lambda state: "steeringMessage" not in state, "took the early message")
    await bench.act("chat/pendingMessageSet", kind="steering", id="s2", message={**early, "text": "late"})
    await until(bench, lambda state: "steeringMessage" not in state, "took the late message")
    go_on.set()
    await run
    assert rogue.steered == ["early", "late"]


async def test_a_turn_given_up_by_its_host_ends_with_what_the_host_says(bench: Bench, use: UseAgent) -> None:
    rogue = use(Rogue(mute))
    turn = await started(bench)
    run = asyncio.create_task(finished(turn))
    turn.give_up(error("hostStopped", "bye"))
    await run
    assert (await bench.chat())["turns"][0]["error"] == {"errorType": "hostStopped", "message": "bye"}
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
