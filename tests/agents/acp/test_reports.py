"""Does everything that an agent reports become what the protocol has for it?"""

from __future__ import annotations

import json
from typing import Any

import pytest

from ahp_platform.agents.backend import Decision, Json, TurnFailed, TurnStopped
from tests.agents.acp.conftest import NewBench
from tests.agents.fake_sink import FakeSink

pytestmark = pytest.mark.asyncio(loop_scope="module")


def update(report: str, /, **fields: Any) -> str:
    """The command that reports something."""
    return f"update {json.dumps({'sessionUpdate': report, **fields})}"


def text(words: str) -> Json:
    return {"type": "content", "content": {"type": "text", "text": words}}


def parts(sink: FakeSink) -> list[tuple[str, str]]:
    """The parts of text, with what they came to."""
    found: dict[str, tuple[str, str]] = {}
    for action in sink.emitted:
        if action["type"] == "chat/responsePart" and "id" in action["part"]:
            found[action["part"]["id"]] = action["part"]["kind"], ""
        elif "partId" in action:
            kind, said = found[action["partId"]]
            found[action["partId"]] = kind, said + action["content"]
    return list(found.values())


def result(sink: FakeSink) -> Json:
    (complete,) = sink.of("chat/toolCallComplete")
    found: Json = complete["result"]
    return found


async def test_text_after_a_thought_or_a_tool_call_is_a_part_of_its_own(running: NewBench) -> None:
    call = update("tool_call", toolCallId="c", title="Look", kind="read", status="completed")
    sink = await running().say(f"think hm\nsay one two\n{call}\nsay three\nsay four")
    assert parts(sink) == [("reasoning", "hm"), ("markdown", "one two "), ("markdown", "three four ")]


async def test_another_message_of_the_agent_is_another_part(running: NewBench) -> None:
    lines = [
        update("agent_message_chunk", content={"type": "text", "text": said}, messageId=message)
        for message, said in (("m1", "a"), ("m1", "b"), ("m2", "c"))
    ]
    assert parts(await running().say("\n".join(lines))) == [("markdown", "ab"), ("markdown", "c")]


async def test_a_picture_is_kept_and_referred_to(running: NewBench) -> None:
    picture = {"type": "image", "data": "AAAA", "mimeType": "image/png"}
    sink = await running().say(update("agent_message_chunk", content=picture))
    (action,) = sink.emitted
    assert action["part"] == {"kind": "contentRef", "uri": "kept:3", "sizeHint": 3, "contentType": "image/png"}


async def test_a_plan_is_one_tool_call_whose_list_follows(running: NewBench) -> None:
    entries = [{"content": "look", "priority": "high", "status": "pending"}]
    done = [{**entries[0], "status": "completed"}, {"content": "fix", "priority": "low", "status": "in_progress"}]
    sink = await running().say("\n".join(update("plan", entries=each) for each in (entries, done)))
    assert len(sink.of("chat/toolCallStart")) == 1
    shown = [action["content"][0]["text"] for action in sink.of("chat/toolCallContentChanged")]
    assert shown == ["- [ ] look", "- [x] look\n- [~] fix"]
    assert result(sink)["content"][0]["text"] == shown[-1]
    assert sink.of("chat/toolCallComplete")[0]["_meta"]["entries"] == done


async def test_a_tool_call_shows_its_kind_input_places_and_output(running: NewBench) -> None:
    call: Json = {"toolCallId": "c", "kind": "search"}
    begun = update("tool_call", **call, title="grep", status="pending", locations=[{"path": "/w/a", "line": 3}])
    runs = update("tool_call_update", **call, title="grep x", status="in_progress", rawInput={"pattern": "x"})
    ends = update("tool_call_update", toolCallId="c", status="completed", rawOutput={"found": 2}, content=[text("2")])
    sink = await running().say("\n".join((begun, runs, ends)))
    start, ready = sink.of("chat/toolCallStart")[0], sink.of("chat/toolCallReady")[0]
    assert (start["toolName"], start["displayName"]) == ("grep", "Search")
    assert start["_meta"] == {"kind": "search", "locations": [{"path": "/w/a", "line": 3}]}
    assert (ready["invocationMessage"], ready["toolInput"]) == ("grep x", '{"pattern": "x"}')
    assert ready["confirmed"] == "not-needed"
    assert result(sink) == {
        "success": True,
        "pastTenseMessage": "Searched grep x",
        "content": [{"type": "text", "text": "2"}],
        "structuredContent": {"found": 2},
    }


async def test_a_call_that_fails_says_why(running: NewBench) -> None:
    sink = await running().say(
        update("tool_call", toolCallId="c", title="T", status="failed", content=[text("no such file")])
    )
    assert result(sink)["success"] is False
    assert result(sink)["error"] == {"message": "no such file"}


async def test_a_diff_is_an_edit_whose_texts_are_kept_though_the_end_does_not_repeat_it(running: NewBench) -> None:
    diff = {"type": "diff", "path": "/w/a.txt", "oldText": "old", "newText": "new"}
    begun = update("tool_call", toolCallId="c", title="write", kind="edit", status="in_progress", content=[diff])
    ends = update("tool_call_update", toolCallId="c", status="completed", content=[text("Wrote file.")])
    sink = await running().say(f"{begun}\n{ends}")
    edit, said = result(sink)["content"]
    assert (edit["type"], edit["before"]["content"]["uri"], edit["after"]["content"]["uri"]) == (
        "fileEdit",
        "old",
        "new",
    )
    assert said["text"] == "Wrote file."
    assert sink.files.edits == [("/w/a.txt", "old", "new")]


async def test_a_long_output_is_cut_and_can_be_read_whole(running: NewBench) -> None:
    sink = await running().say(
        update("tool_call", toolCallId="c", title="T", status="completed", content=[text("x" * 100_000)])
    )
    shown, whole = result(sink)["content"]
    assert len(shown["text"]) < 40_000
    assert whole == {"type": "resource", "uri": "kept:100000", "sizeHint": 100_000, "contentType": "text/plain"}


async def test_a_report_with_a_field_we_do_not_know_loses_that_field_alone(running: NewBench) -> None:
    raw = {"sessionUpdate": "tool_call", "toolCallId": "c", "title": "T", "status": "completed", "kind": "levitate"}
    line = {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "SESSION", "update": raw}}
    unknown = {**line, "params": {"sessionId": "SESSION", "update": {"sessionUpdate": "horoscope"}}}
    sink = await running().say(f"raw {json.dumps(line)}\nraw {json.dumps(unknown)}\nsay on")
    assert result(sink)["pastTenseMessage"] == "T"
    assert sink.text == "on "


async def test_usage_and_cost_are_reported(running: NewBench) -> None:
    sink = await running().say("usage 10 5", message={"model": {"id": "large"}})
    assert sink.of("chat/usage")[-1]["usage"] == {
        "inputTokens": 10,
        "outputTokens": 5,
        "model": "large",
        "_meta": {"contextUsed": 10, "contextSize": 1000, "cost": {"amount": 0.25, "currency": "EUR"}},
    }


async def test_commands_and_titles_are_passed_on(running: NewBench) -> None:
    bench = running()
    commands = [
        {"name": "review", "description": "Review", "input": {"hint": "branch"}},
        {"name": "init", "description": ""},
    ]
    await bench.say(
        "\n".join(
            (
                update("available_commands_update", availableCommands=commands),
                update("session_info_update", title="Tea"),
            )
        )
    )
    assert bench.desk.titles == [(bench.chat, "Tea")]
    assert bench.desk.offered[bench.chat] == [
        {"name": "review", "description": "Review", "hint": "branch"},
        {"name": "init", "description": ""},
    ]


async def test_a_mode_that_the_agent_changes_itself_is_the_sessions(running: NewBench) -> None:
    bench = running()
    await bench.say(update("current_mode_update", currentModeId="code"))
    assert bench.desk.configured == {"mode": "code"}


async def test_the_model_of_the_message_and_the_sessions_options_are_set_before_the_prompt(running: NewBench) -> None:
    bench = running()
    message, config = {"model": {"id": "large"}}, {"mode": "code", "loud": True, "visibility": "private"}
    sink = await bench.say("memory", message=message, config=config)
    assert "'model': 'large', 'mode': 'code', 'loud': True" in sink.text


async def test_a_model_that_the_agent_does_not_take_ends_the_turn(running: NewBench) -> None:
    with pytest.raises(TurnFailed, match=r"does not take huge as model: .*no such model"):
        await running().say("say x", message={"model": {"id": "huge"}})


@pytest.mark.parametrize(
    ("reason", "error"), [("max_tokens", "maxTokens"), ("max_turn_requests", "maxRequests"), ("refusal", "refusal")]
)
async def test_a_stop_that_is_no_end_of_the_turn_is_an_error(running: NewBench, reason: str, error: str) -> None:
    sink = FakeSink()
    with pytest.raises(TurnFailed) as failed:
        await running().say(f"say so far\nstop {reason}", sink)
    assert failed.value.error_type == error
    assert sink.text == "so far "


async def test_an_agent_that_stops_by_itself_ends_its_turn_as_cancelled(running: NewBench) -> None:
    with pytest.raises(TurnStopped):
        await running().say("stop cancelled")


async def test_an_error_of_the_agent_is_told(running: NewBench) -> None:
    with pytest.raises(TurnFailed, match="the model is away") as failed:
        await running().say("error the model is away")
    assert failed.value.error_type == "agentError"


# ---- permission


async def test_a_call_that_is_said_to_run_and_asks_5_ms_later_runs_once_after_approval(running: NewBench) -> None:
    sink = await running().say("ask ls -l")
    (asked,) = sink.confirmed
    assert (asked.tool_input, asked.editable) == ('{"command": "ls -l"}', False)
    assert [(each["kind"], each["group"]) for each in asked.options] == [("approve", 0), ("approve", 1), ("deny", 0)]
    assert result(sink)["content"] == [{"type": "text", "text": "ran ls -l"}]


async def test_what_is_allowed_for_ever_is_not_asked_again(running: NewBench) -> None:
    bench = running()
    sink = FakeSink(decision=Decision(True, "", {"id": "ever"}))
    await bench.say("ask date", sink)
    assert (await bench.say("ask date")).confirmed == []


async def test_a_call_that_is_denied_is_not_completed(running: NewBench) -> None:
    sink = FakeSink(decision=Decision(False, ""))
    await running().say("ask ls", sink)
    assert sink.of("chat/toolCallComplete") == []
    assert sink.text == "Not allowed: selected "


async def test_the_choices_are_in_the_users_language(running: NewBench) -> None:
    sink = await running().say("ask ls", locale="de-AT")
    assert [each["label"] for each in sink.confirmed[0].options] == ["Einmal erlauben", "Immer erlauben", "Ablehnen"]
