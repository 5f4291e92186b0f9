"""Does the practice agent do what its commands say?"""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from ahp_platform.agents.backend import Answers, Decision, Installation, SessionInfo, TurnFailed, WorkerResult
from ahp_platform.agents.backends.practice import PracticeBackend, ProtectedPracticeBackend
from ahp_platform.agents.backends.practice.session import PracticeSession
from tests.agents.fake_desk import FakeDesk
from tests.agents.fake_sink import FakeSink, request

HERE = Installation("https://host.example")


async def prompted(text: str, sink: FakeSink | None = None, **message: Any) -> FakeSink:
    sink = sink or FakeSink()
    await PracticeSession().prompt(request(text, **message), sink)
    return sink


@pytest.mark.parametrize("text", ["say the quick fox", "the quick fox", "  the quick fox  "])
async def test_say_streams_word_by_word_and_is_what_anything_else_means(text: str) -> None:
    sink = await prompted(text)
    assert [delta["content"] for delta in sink.of("chat/delta")] == ["the", " quick", " fox"]
    part = sink.emitted[0]["part"]
    assert (part["kind"], part["content"]) == ("markdown", "")
    assert {delta["partId"] for delta in sink.of("chat/delta")} == {part["id"]}


async def test_every_line_is_a_command_of_its_own() -> None:
    sink = await prompted("say one\n\nthink two\nthree")
    kinds = [action["part"]["kind"] for action in sink.of("chat/responsePart")]
    assert kinds == ["markdown", "reasoning", "markdown", "markdown"]
    assert sink.text == "onetwothree"


@pytest.mark.parametrize(
    ("text", "size"), [("stream 3", 20), ("stream 3 12", 12), ("stream 3 8 1", 8), ("stream 3 2", 8)]
)
async def test_stream_numbers_its_deltas(text: str, size: int) -> None:
    deltas = [action["content"] for action in (await prompted(text)).of("chat/delta")]
    assert [delta[:8] for delta in deltas] == ["00000000", "00000001", "00000002"]
    assert {len(delta) for delta in deltas} == {size}


@pytest.mark.parametrize(
    "text", ["stream", "stream x", "stream 1 2 3 4", "stream -1", "wait", "wait soon", "usage 1", "usage ٣ ٤"]
)
async def test_a_command_that_cannot_be_read_says_how_it_goes(text: str) -> None:
    with pytest.raises(TurnFailed, match="The command is: "):
        await prompted(text)


@pytest.mark.parametrize("text", ["stream 99999999999999999999999999 8", "stream 1 99999999999999"])
async def test_a_stream_without_measure_is_refused(text: str) -> None:
    with pytest.raises(TurnFailed, match="at most"):
        await prompted(text)


async def test_usage_reports_the_model_of_the_message() -> None:
    (action,) = (await prompted("usage 12 34", model={"id": "practice-large"})).of("chat/usage")
    assert action["usage"] == {"inputTokens": 12, "outputTokens": 34, "model": "practice-large"}


async def test_fail_fails_with_its_text() -> None:
    with pytest.raises(TurnFailed, match="on purpose"):
        await prompted("fail on purpose")


async def test_run_runs_after_approval_and_shows_the_terminal() -> None:
    sink = await prompted("run ls -l")
    ((_, call, command), ran) = sink.calls
    assert command == "ls -l"
    assert ran == ("run", call, "ls -l")
    (complete,) = sink.of("chat/toolCallComplete")
    assert complete["toolCallId"] == call
    assert complete["result"]["content"][0]["type"] == "terminal"


async def test_run_runs_what_was_edited() -> None:
    sink = await prompted("run ls", FakeSink(decision=Decision(True, "pwd")))
    assert sink.calls[-1][2] == "pwd"


async def test_run_that_is_denied_runs_nothing() -> None:
    sink = await prompted("run ls", FakeSink(decision=Decision(False, "ls", None, "look elsewhere")))
    assert len(sink.calls) == 1
    assert "look elsewhere" in sink.text


async def test_tool_writes_after_approval_and_shows_the_edit() -> None:
    sink = await prompted("tool a/note.txt hello there")
    ((_, call, tool_input), write) = sink.calls
    assert json.loads(tool_input) == {"path": "a/note.txt", "text": "hello there"}
    assert write == ("write", "a/note.txt", "hello there")
    (complete,) = sink.of("chat/toolCallComplete")
    assert complete["toolCallId"] == call
    assert complete["result"]["success"]
    assert complete["result"]["content"][0]["type"] == "fileEdit"


async def test_tool_uses_the_edited_input() -> None:
    edited = json.dumps({"path": "b.txt", "text": "edited"})
    sink = await prompted("tool a.txt x", FakeSink(decision=Decision(True, edited)))
    assert sink.calls[-1] == ("write", "b.txt", "edited")


@pytest.mark.parametrize("edited", ["", "[]", "null", "{}", '{"path": "x"}'])
async def test_tool_survives_an_edit_that_makes_no_sense(edited: str) -> None:
    sink = await prompted("tool a.txt x", FakeSink(decision=Decision(True, edited)))
    (complete,) = sink.of("chat/toolCallComplete")
    assert not complete["result"]["success"]
    assert not [call for call in sink.calls if call[0] == "write"]


async def test_denied_tool_says_so_with_the_suggestion() -> None:
    sink = await prompted("tool a.txt x", FakeSink(decision=Decision(False, "", suggestion="put it elsewhere")))
    assert "did not write a.txt" in sink.text
    assert "put it elsewhere" in sink.text
    assert not sink.of("chat/toolCallComplete")


async def test_tool_that_may_not_write_fails_with_the_reason() -> None:
    sink = await prompted("tool ../x y", FakeSink(write_error=PermissionError("the path leads out")))
    (complete,) = sink.of("chat/toolCallComplete")
    assert complete["result"]["error"] == {"message": "the path leads out"}


async def test_ask_has_one_required_question_of_each_kind_and_repeats_the_answers() -> None:
    given: dict[str, Any] = {
        "name": {"state": "submitted", "value": {"kind": "text", "value": "bleu 名"}},
        "days": {"state": "submitted", "value": {"kind": "selected-many", "value": ["monday"]}},
        "sure": {"state": "skipped"},
    }
    sink = await prompted("ask", FakeSink(answers=Answers("accept", given)))
    kinds = [question["kind"] for question in sink.request["questions"]]
    assert sorted(kinds) == ["boolean", "integer", "multi-select", "number", "single-select", "text"]
    assert all(question["required"] for question in sink.request["questions"])
    assert json.loads(sink.text) == {"name": "bleu 名", "days": ["monday"], "sure": None}


async def test_ask_accepts_that_nobody_answers() -> None:
    assert "decline" in (await prompted("ask", FakeSink(answers=Answers("decline", {})))).text


async def test_client_says_what_the_tool_returned() -> None:
    result = {"success": True, "pastTenseMessage": "Picked", "content": [{"type": "text", "text": "teal"}]}
    sink = await prompted('client pick_color {"a": 1}', FakeSink(tool_result=result))
    assert sink.calls == [("client", "pick_color", '{"a": 1}')]
    assert "teal" in sink.text


async def test_client_says_when_the_tool_failed_or_nobody_has_it() -> None:
    result = {"success": False, "pastTenseMessage": "Gone", "error": {"message": "the editor went away"}}
    assert "went away" in (await prompted("client x {}", FakeSink(tool_result=result))).text
    assert "No active client" in (await prompted("client x {}")).text


async def test_worker_links_its_call_to_the_chat() -> None:
    sink = await prompted("worker count to three")
    ((_, call, text),) = sink.calls
    assert text == "say count to three"
    (complete,) = sink.of("chat/toolCallComplete")
    assert complete["toolCallId"] == call
    (link,) = complete["result"]["content"]
    assert (link["type"], link["resource"]) == ("subagent", "ahp-chat:/worker")


async def test_worker_that_was_cancelled_is_no_success() -> None:
    sink = await prompted("worker x", FakeSink(worker_result=WorkerResult("ahp-chat:/w", "cancelled", "")))
    assert not sink.of("chat/toolCallComplete")[0]["result"]["success"]


async def test_steering_adds_lines_to_the_running_turn_only() -> None:
    session, sink = PracticeSession(), FakeSink()
    turn = request("stream 1000 8 1")
    assert not await session.steer(turn, {"text": "say too early"})
    running = asyncio.create_task(session.prompt(turn, sink))
    while not sink.emitted:
        await asyncio.sleep(0)
    assert await session.steer(turn, {"text": "say and this"})
    await asyncio.wait_for(running, 10)
    assert sink.text.endswith("and this")
    assert not await session.steer(turn, {"text": "say too late"})


async def test_the_protected_agent_wants_the_token_of_the_turns_user() -> None:
    backend = ProtectedPracticeBackend(HERE)
    (protected,) = backend.info()["protectedResources"]
    assert protected["resource"] == "https://host.example/agents/demo-protected"
    session = await backend.open(SessionInfo("ahp-session:/s", "demo-protected", "demo", FakeDesk()))
    with pytest.raises(TurnFailed, match="Authenticate"):
        await session.prompt(request("say x"), FakeSink())
    sink = FakeSink()
    await session.prompt(request("say x", credentials={protected["resource"]: "token"}), sink)
    assert sink.text == "x"


def test_the_practice_agent_advertises_every_capability() -> None:
    capabilities = PracticeBackend(HERE).info()["capabilities"]
    assert capabilities["multipleChats"] == {"fork": True, "sideChat": True}
    assert "multipleWorkingDirectories" in capabilities
