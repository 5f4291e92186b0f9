"""What does a person see who talks to the practice agent? Every command over a real socket, against the running service."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from tests.agents.chats import calls_of, cancel, ended, open_session, say, start
from tests.client import Client, Message
from tests.conftest import Connect
from tests.interaction.conversation import text_of, user

TOOL = {"name": "pick_color", "description": "asks the editor", "inputSchema": {"type": "object", "properties": {}}}


async def confirm(client: Client, chat: str, turn_id: str, **answer: Any) -> Message:
    """Wait for the turn's confirmation and answer it; the `chat/toolCallReady`."""
    ready: Message = (await client.action(chat, "chat/toolCallReady", turnId=turn_id))["action"]
    action = {"type": "chat/toolCallConfirmed", "turnId": turn_id, "toolCallId": ready["toolCallId"], **answer}
    await client.dispatch(chat, action)
    return ready


def content_of(uri: str) -> str:
    return Path(unquote(urlsplit(uri).path)).read_text()


def approved(**more: Any) -> dict[str, Any]:
    return {"approved": True, "confirmed": "user-action", **more}


async def test_talking_and_thinking_are_streamed_to_everybody(connect: Connect) -> None:
    alice, bob = await connect("alice"), await connect("bob")
    _, chat = await open_session(alice)
    await bob.subscribe(chat)
    turn = await say(alice, chat, "say hello to you\nthink about it\nusage 5 7")
    assert text_of(turn) == "hello to youabout it"
    assert [part["kind"] for part in turn["responseParts"]] == ["markdown", "reasoning", "markdown"]
    assert turn["usage"]["outputTokens"] == 7
    await bob.action(chat, "chat/turnComplete", turnId=turn["id"])
    words = [one["action"]["content"] for one in bob.envelopes if one["action"]["type"] == "chat/delta"]
    assert words == ["hello", " to", " you", "about", " it"]


async def test_a_stream_arrives_delta_by_delta_in_order(connect: Connect) -> None:
    alice = await connect()
    _, chat = await open_session(alice)
    turn = await say(alice, chat, "stream 2000 16")
    deltas = [one["action"]["content"] for one in alice.envelopes if one["action"]["type"] == "chat/delta"]
    assert [int(delta[:8]) for delta in deltas] == list(range(2000))
    assert text_of(turn) == "".join(deltas)


async def test_an_approved_tool_writes_into_the_sessions_directory(connect: Connect) -> None:
    alice = await connect()
    session, chat = await open_session(alice)
    turn_id = await start(alice, chat, "tool notes/a.txt hello there")
    ready = await confirm(alice, chat, turn_id, **approved(selectedOptionId="allow-once"))
    assert [option["kind"] for option in ready["options"]] == ["approve", "deny"]
    (call,) = calls_of(await ended(alice, chat, turn_id))
    assert (call["status"], call["selectedOption"]["id"]) == ("completed", "allow-once")
    (edit,) = call["content"]
    (directory,) = (await alice.subscribe(session))["state"]["workingDirectories"]
    assert edit["after"]["uri"] == f"{directory}/notes/a.txt"
    assert content_of(edit["after"]["uri"]) == "hello there"


async def test_a_tool_runs_with_the_input_as_edited_and_never_outside(connect: Connect) -> None:
    alice = await connect()
    _, chat = await open_session(alice)
    turn_id = await start(alice, chat, "tool a.txt x")
    outside = json.dumps({"path": "../../escape.txt", "text": "x"})
    await confirm(alice, chat, turn_id, **approved(editedToolInput=outside))
    (call,) = calls_of(await ended(alice, chat, turn_id))
    assert (call["success"], call["error"]["message"]) == (False, "the path leads out of the working directory")


async def test_a_denied_tool_tells_the_agent_what_the_user_would_rather(connect: Connect) -> None:
    alice = await connect()
    _, chat = await open_session(alice)
    turn_id = await start(alice, chat, "tool a.txt x")
    await confirm(alice, chat, turn_id, approved=False, reason="denied", userSuggestion=user("do it elsewhere"))
    turn = await ended(alice, chat, turn_id)
    assert (turn["state"], calls_of(turn)[0]["status"]) == ("complete", "cancelled")
    assert "do it elsewhere" in text_of(turn)


async def test_cancelling_an_open_confirmation_releases_everything(connect: Connect) -> None:
    alice = await connect()
    session, chat = await open_session(alice)
    turn_id = await start(alice, chat, "tool a.txt x")
    ready = (await alice.action(chat, "chat/toolCallReady", turnId=turn_id))["action"]
    await cancel(alice, chat, turn_id)
    (call,) = calls_of(await ended(alice, chat, turn_id))
    assert (call["status"], call["reason"]) == ("cancelled", "skipped")
    await alice.action(session, "session/inputNeededRemoved")
    late = {"type": "chat/toolCallConfirmed", "turnId": turn_id, "toolCallId": ready["toolCallId"], **approved()}
    assert "rejectionReason" in await alice.echo(await alice.dispatch(chat, late))
    assert text_of(await say(alice, chat, "say next")) == "next"


async def test_a_question_is_answered_by_several_people(connect: Connect) -> None:
    alice, bob = await connect("alice"), await connect("bob")
    _, chat = await open_session(alice)
    await bob.subscribe(chat)
    turn_id = await start(alice, chat, "ask")
    request = (await alice.action(chat, "chat/inputRequested"))["action"]["request"]
    given: dict[str, Message] = {
        "text": {"kind": "text", "value": "blue"},
        "number": {"kind": "number", "value": 1.5},
        "integer": {"kind": "number", "value": 3},
        "boolean": {"kind": "boolean", "value": True},
        "single-select": {"kind": "selected", "value": "small"},
        "multi-select": {"kind": "selected-many", "value": ["monday", "friday"]},
    }
    for who, question in zip([alice, bob] * 3, request["questions"], strict=True):
        answer = {"state": "submitted", "value": given[question["kind"]]}
        changed = {"requestId": request["id"], "questionId": question["id"], "answer": answer}
        await who.echo(await who.dispatch(chat, {"type": "chat/inputAnswerChanged", **changed}))
    await bob.dispatch(chat, {"type": "chat/inputCompleted", "requestId": request["id"], "response": "accept"})
    turn = await ended(alice, chat, turn_id)
    assert list(json.loads(text_of(turn)).values()) == ["blue", 1.5, 3, True, "small", ["monday", "friday"]]


async def test_a_clients_tool_is_called_and_its_result_said(connect: Connect) -> None:
    alice = await connect()
    session, chat = await open_session(alice)
    active = {"clientId": alice.client_id, "tools": [TOOL]}
    await alice.dispatch(session, {"type": "session/activeClientSet", "activeClient": active})
    turn_id = await start(alice, chat, 'client pick_color {"for": "walls"}')
    call = (await alice.action(chat, "chat/toolCallStart", turnId=turn_id))["action"]
    assert call["contributor"] == {"kind": "client", "clientId": alice.client_id}
    result = {"success": True, "pastTenseMessage": "Picked", "content": [{"type": "text", "text": "teal"}]}
    complete = {"turnId": turn_id, "toolCallId": call["toolCallId"], "result": result}
    await alice.dispatch(chat, {"type": "chat/toolCallComplete", **complete})
    assert "teal" in text_of(await ended(alice, chat, turn_id))


async def test_a_client_that_leaves_fails_its_tool_and_the_turn_goes_on(connect: Connect) -> None:
    alice, bob = await connect("alice"), await connect("bob")
    session, chat = await open_session(alice)
    await bob.subscribe(session)
    active = {"clientId": bob.client_id, "tools": [TOOL]}
    await bob.dispatch(session, {"type": "session/activeClientSet", "activeClient": active})
    await alice.action(session, "session/activeClientSet")
    turn_id = await start(alice, chat, "client pick_color {}")
    await alice.action(chat, "chat/toolCallStart", turnId=turn_id)
    await bob.notify("unsubscribe", {"channel": session})
    turn = await ended(alice, chat, turn_id)
    assert (turn["state"], calls_of(turn)[0]["success"]) == ("complete", False)
    assert "pick_color failed" in text_of(turn)


async def test_a_worker_has_a_chat_of_its_own_and_both_ends_know_each_other(connect: Connect) -> None:
    alice = await connect()
    session, chat = await open_session(alice)
    turn = await say(alice, chat, "worker count to three")
    (call,) = calls_of(turn)
    (link,) = call["content"]
    summary = (await alice.action(session, "session/chatAdded"))["action"]["summary"]
    assert link["resource"] == summary["resource"]
    assert summary["origin"] == {"kind": "tool", "chat": chat, "toolCallId": call["toolCallId"]}
    (worked,) = (await alice.subscribe(link["resource"]))["state"]["turns"]
    assert (worked["message"]["origin"]["kind"], text_of(worked)) == ("agent", "count to three")
    assert "count to three" in text_of(turn)


async def test_steering_adds_to_the_running_turn(connect: Connect) -> None:
    alice = await connect()
    _, chat = await open_session(alice)
    turn_id = await start(alice, chat, "stream 300 8 1")
    await alice.action(chat, "chat/delta", turnId=turn_id)
    steering = {"kind": "steering", "id": "s", "message": user("say and this")}
    await alice.dispatch(chat, {"type": "chat/pendingMessageSet", **steering})
    await alice.action(chat, "chat/pendingMessageRemoved", kind="steering", id="s")
    assert text_of(await ended(alice, chat, turn_id)).endswith("and this")


async def test_queued_messages_run_one_after_the_other(connect: Connect) -> None:
    alice = await connect()
    _, chat = await open_session(alice)
    first = await start(alice, chat, "wait 300")
    for name in ("one", "two"):
        queued = {"kind": "queued", "id": name, "message": user(f"say {name}")}
        await alice.dispatch(chat, {"type": "chat/pendingMessageSet", **queued})
    await ended(alice, chat, first)
    begun = [(await alice.action(chat, "chat/turnStarted", queuedMessageId=name))["action"] for name in ("one", "two")]
    said = [text_of(await ended(alice, chat, turn["turnId"])) for turn in begun]
    assert said == ["one", "two"]


async def test_failing_and_incomplete_commands_end_with_an_error_that_says_why(connect: Connect) -> None:
    alice = await connect()
    _, chat = await open_session(alice)
    for text, said in (("fail on purpose", "on purpose"), ("run", "run COMMAND"), ("wait long", "wait MS")):
        turn = await say(alice, chat, text)
        assert turn["state"] == "error"
        assert said in turn["error"]["message"]


async def test_a_turn_cancelled_right_after_its_start_is_always_cancelled(connect: Connect) -> None:
    alice = await connect()
    _, chat = await open_session(alice)
    turns = []
    for _ in range(500):
        turns.append(await start(alice, chat, "stream 1000 8 1"))
        await cancel(alice, chat, turns[-1])
    await ended(alice, chat, turns[-1])
    assert text_of(await say(alice, chat, "say still here")) == "still here"
    state = (await alice.subscribe(chat))["state"]
    assert {turn["id"]: turn["state"] for turn in state["turns"][:-1]} == dict.fromkeys(turns, "cancelled")
    cancelled_at = {
        one["action"]["turnId"]: one["serverSeq"]
        for one in alice.envelopes
        if one["action"]["type"] == "chat/turnCancelled"
    }
    late = [one for one in alice.envelopes if one["serverSeq"] > cancelled_at.get(one["action"].get("turnId"), 1 << 60)]
    assert late == []


async def test_disposing_a_session_with_an_open_question_stops_its_agent(connect: Connect) -> None:
    alice = await connect()
    session, chat = await open_session(alice)
    turn_id = await start(alice, chat, "ask")
    await alice.action(chat, "chat/inputRequested")
    await alice.request("disposeSession", {"channel": session})
    await alice.action(chat, "chat/turnCancelled", turnId=turn_id)
    assert (await alice.refused("subscribe", {"channel": chat})).code == -32008
