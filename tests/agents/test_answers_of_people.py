"""Does what people say reach the agent of a running turn, once?"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from ahp_platform.agents.backend import Decision, Sink, ToolCall, TurnRequest
from ahp_platform.agents.runner import turn_run
from tests.agents.conftest import CHAT, Bench, UseAgent
from tests.agents.rogues import Rogue, asks_after_ready
from tests.agents.turn_runs import call_status, finished, parts, started, until


async def test_an_agent_that_waits_for_people_is_not_silent(bench: Bench, settings: Any) -> None:
    settings.AHP_TURN_SILENCE_S = 0.2
    run = asyncio.create_task(finished(await started(bench, text="ask")))
    await until(bench, lambda state: parts(state), "asked")
    await asyncio.wait({run}, timeout=2 * turn_run.CHECK_SILENCE_EVERY_S)
    (request,) = [part["request"] for part in parts(await bench.chat())]
    await bench.act("chat/inputCompleted", requestId=request["id"], response="decline")
    await run
    assert (await bench.chat())["turns"][0]["state"] == "complete"


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


async def test_what_an_agent_says_of_a_risk_is_shown_with_the_question(bench: Bench, use: UseAgent) -> None:
    judged = {"kind": "judge", "status": "complete", "reason": "It deletes files.", "safety": 0.25}

    async def work(turn: TurnRequest, sink: Sink) -> None:
        await sink.emit({"type": "chat/toolCallStart", "toolCallId": "c", "toolName": "t", "displayName": "T"})
        for risk in ({"kind": "judge", "status": "loading"}, judged):
            asking = asyncio.ensure_future(sink.confirm(ToolCall("c", "{}", "Do it", risk=risk)))
        await asking

    use(Rogue(work))
    run = asyncio.create_task(finished(await started(bench)))
    await until(
        bench,
        lambda state: [part["toolCall"].get("riskAssessment") for part in parts(state)] == [judged],
        "the second assessment",
    )
    await bench.act("chat/toolCallConfirmed", turnId="t1", toolCallId="c", approved=True, confirmed="user-action")
    await run


async def test_a_call_that_is_ready_and_then_needs_permission_runs_once_after_approval(
    bench: Bench, use: UseAgent
) -> None:
    executed: list[str] = []
    use(Rogue(asks_after_ready(executed)))
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
