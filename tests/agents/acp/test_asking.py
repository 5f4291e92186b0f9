"""What may an agent ask of us, and what not?"""

from __future__ import annotations

import json

import pytest

from ahp_platform.agents.backend import Answers
from tests.agents.acp.conftest import NewBench
from tests.agents.fake_sink import FakeFiles, FakeSink

pytestmark = pytest.mark.asyncio(loop_scope="module")

FORM = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "title": "Name", "minLength": 1},
        "size": {"type": "string", "oneOf": [{"const": "s", "title": "Small"}, {"const": "l", "title": "Large"}]},
        "count": {"type": "integer", "minimum": 1, "maximum": 9},
        "sure": {"type": "boolean", "default": True},
        "days": {"type": "array", "items": {"type": "string", "enum": ["mo", "tu"]}, "maxItems": 1},
    },
    "required": ["name"],
}


async def test_files_are_read_and_written_through_the_turn(running: NewBench) -> None:
    sink = FakeSink(files=FakeFiles({"/w/a": "inside"}))
    await running().say("read /w/a\nwrite /w/b text of b", sink)
    assert sink.text == "insidewritten "
    assert sink.files.texts["/w/b"] == "text of b"


async def test_a_file_that_may_not_be_read_is_refused_without_a_hint(running: NewBench) -> None:
    assert (await running().say("read /etc/passwd")).text == "refused -32002 None"


async def test_a_command_runs_in_a_terminal_that_its_tool_call_shows(running: NewBench) -> None:
    sink = FakeSink()
    sink.terminals.said = "x" * 100 + "\r\nend"
    await running().say("terminal make test", sink)
    (command,) = sink.terminals.started
    (start,) = sink.of("chat/toolCallStart")
    assert (command.line, command.tool_call_id) == ("make test", start["toolCallId"])
    assert command.environment == {"GIVEN": "by the agent"}
    assert sink.text == f"exit 0 truncated True: {'x' * 36}\nend"
    shown = sink.of("chat/toolCallContentChanged")[0]["content"]
    assert shown == [{"type": "terminal", "resource": "ahp-terminal:/1", "title": "make test", "isPty": True}]
    ended = sink.of("chat/toolCallComplete")[0]["result"]["content"][0]["result"]
    assert (ended["exitCode"], ended["truncated"]) == (0, False)
    assert sink.terminals.ended == ["ahp-terminal:/1"]


async def test_a_form_becomes_questions_and_their_answers_its_content(running: NewBench) -> None:
    given = {
        "name": {"kind": "text", "value": "Ann"},
        "size": {"kind": "selected", "value": "l"},
        "count": {"kind": "number", "value": 3},
        "days": {"kind": "selected-many", "value": ["mo"]},
    }
    answers = {name: {"state": "submitted", "value": value} for name, value in given.items()}
    sink = FakeSink(answers=Answers("accept", {**answers, "sure": {"state": "skipped"}}))
    await running().say(f"elicit {json.dumps(FORM)}", sink)
    assert json.loads(sink.text) == {
        "action": "accept",
        "content": {"name": "Ann", "size": "l", "count": 3, "days": ["mo"]},
    }
    kinds = [(question["id"], question["kind"], question.get("required")) for question in sink.request["questions"]]
    assert kinds == [
        ("name", "text", True),
        ("size", "single-select", None),
        ("count", "integer", None),
        ("sure", "boolean", None),
        ("days", "multi-select", None),
    ]
    assert sink.request["questions"][1]["options"] == [{"id": "s", "label": "Small"}, {"id": "l", "label": "Large"}]


@pytest.mark.parametrize("response", ["decline", "cancel"])
async def test_who_does_not_answer_is_not_made_to(running: NewBench, response: str) -> None:
    sink = FakeSink(answers=Answers(response, {}))  # type: ignore[arg-type]
    await running().say(f"elicit {json.dumps(FORM)}", sink)
    assert json.loads(sink.text) == {"action": response}
