"""Who lets a tool run?"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from tests.client import Message
from tests.conftest import Connect
from tests.interaction.conftest import Agrees
from tests.interaction.conversation import Talk, accepted, begin, refusal, text_of, user
from tests.interaction.requirements import covers


def file_in(talk: Talk, name: str) -> Path:
    """A file of the session's working directory."""
    (directory,) = talk.session_state["workingDirectories"]
    return path_of(directory, name)


def path_of(directory: str, name: str) -> Path:
    """A file of a directory that is named by its URI."""
    return Path(unquote(urlsplit(directory).path)) / name


async def waiting(talk: Talk, text: str) -> tuple[str, Message]:
    """Start a turn with a tool call: the turn's id and the call that waits."""
    turn_id = await talk.start(text)
    return turn_id, await talk.action("chat/toolCallReady", turnId=turn_id)


def approval(ready: Message, **more: Any) -> Message:
    """The action that approves a call."""
    call = {"turnId": ready["turnId"], "toolCallId": ready["toolCallId"]}
    return {"type": "chat/toolCallConfirmed", **call, "approved": True, "confirmed": "user-action", **more}


def denial(ready: Message, **more: Any) -> Message:
    """The action that denies a call."""
    call = {"turnId": ready["turnId"], "toolCallId": ready["toolCallId"]}
    return {"type": "chat/toolCallConfirmed", **call, "approved": False, "reason": "denied", **more}


def call_of(talk: Talk, turn_id: str) -> Message:
    """The tool call of a turn that has ended."""
    found: Message = next(
        part["toolCall"] for part in talk.turn(turn_id)["responseParts"] if part["kind"] == "toolCall"
    )
    return found


@covers("chats.confirm", "actions.converge")
async def test_an_approved_tool_runs_once(talk: Talk, connect: Connect, agrees: Agrees) -> None:
    bob = await talk.joined_by(await connect("bob"))
    turn_id, ready = await waiting(talk, "tool notes.txt what was said")
    assert not file_in(talk, "notes.txt").exists()
    assert {option["kind"] for option in ready["options"]} == {"approve", "deny"}
    await agrees(bob.client, talk.session, talk.chat)
    await accepted(bob.client, talk.chat, approval(ready))
    await talk.ended(turn_id)
    call = call_of(talk, turn_id)
    assert (call["status"], call["success"], call["confirmed"]) == ("completed", True, "user-action")
    assert call["content"][0]["type"] == "fileEdit"
    assert file_in(talk, "notes.txt").read_text() == "what was said"
    told = [one["action"]["type"] for one in talk.client.envelopes if one["channel"] == talk.chat]
    assert told.count("chat/toolCallComplete") == 1
    await agrees(bob.client, talk.session, talk.chat)


@covers("chats.confirm")
async def test_the_edited_input_is_what_runs(talk: Talk) -> None:
    turn_id, ready = await waiting(talk, "tool notes.txt draft")
    edited = ready["toolInput"].replace("draft", "final")
    option = next(one for one in ready["options"] if one["kind"] == "approve")
    await accepted(talk.client, talk.chat, approval(ready, editedToolInput=edited, selectedOptionId=option["id"]))
    await talk.ended(turn_id)
    assert file_in(talk, "notes.txt").read_text() == "final"
    call = call_of(talk, turn_id)
    assert (call["toolInput"], call["selectedOption"]) == (edited, option)


@covers("chats.confirm")
async def test_an_agent_that_cannot_use_the_edited_input_says_so(talk: Talk) -> None:
    turn_id, ready = await waiting(talk, "tool notes.txt draft")
    await accepted(talk.client, talk.chat, approval(ready, editedToolInput="no json"))
    assert (await talk.ended(turn_id))["type"] == "chat/turnComplete"
    assert call_of(talk, turn_id)["success"] is False


@covers("chats.confirm")
@pytest.mark.parametrize(
    "path", ["../out.txt", "/etc/out.txt", "a/../../out.txt", "link/out.txt", "nul\x00.txt", ".", "x" * 300]
)
async def test_an_approved_tool_stays_in_its_directory(talk: Talk, path: str, tmp_path: Path) -> None:
    file_in(talk, "link").symlink_to(tmp_path)
    turn_id, ready = await waiting(talk, f"tool {path} text")
    await accepted(talk.client, talk.chat, approval(ready))
    await talk.ended(turn_id)
    assert call_of(talk, turn_id)["success"] is False
    assert not (tmp_path / "out.txt").exists()
    assert not file_in(talk, "../out.txt").exists()


@covers("chats.deny")
async def test_a_denied_tool_does_not_run(talk: Talk) -> None:
    turn_id, ready = await waiting(talk, "tool notes.txt text")
    option = next(one for one in ready["options"] if one["kind"] == "deny")
    suggestion = user("Ask me first.")
    deny = denial(ready, userSuggestion=suggestion, selectedOptionId=option["id"], reasonMessage="Not now")
    await accepted(talk.client, talk.chat, deny)
    await talk.ended(turn_id)
    call = call_of(talk, turn_id)
    assert (call["status"], call["reason"], call["selectedOption"]) == ("cancelled", "denied", option)
    assert (call["userSuggestion"], call["reasonMessage"]) == (suggestion, "Not now")
    assert "Ask me first." in text_of(talk.turn(turn_id))
    assert not file_in(talk, "notes.txt").exists()


@covers("chats.first-wins")
async def test_the_first_confirmation_counts(talk: Talk, connect: Connect) -> None:
    bob = await talk.joined_by(await connect("bob"))
    for number in range(10):
        turn_id, ready = await waiting(talk, f"tool file-{number} text")
        yes = await talk.client.dispatch(talk.chat, approval(ready))
        no = await bob.client.dispatch(talk.chat, denial(ready))
        later = await talk.client.dispatch(talk.chat, denial(ready))
        echoes = [await talk.client.echo(yes), await bob.client.echo(no), await talk.client.echo(later)]
        (counted,) = [one["action"] for one in echoes if "rejectionReason" not in one]
        await talk.ended(turn_id)
        assert file_in(talk, f"file-{number}").exists() is counted["approved"]
        assert await refusal(bob.client, talk.chat, approval(ready))


@covers("chats.confirm", "chats.deny")
async def test_a_confirmation_must_fit_the_call(talk: Talk) -> None:
    turn_id, ready = await waiting(talk, "tool notes.txt text")
    yes, no = (next(one["id"] for one in ready["options"] if one["kind"] == kind) for kind in ("approve", "deny"))
    wrong = [
        approval(ready, selectedOptionId="none"),
        approval(ready, selectedOptionId=no),
        denial(ready, selectedOptionId=yes),
        approval(ready) | {"toolCallId": "none"},
        approval(ready) | {"turnId": "none"},
        denial(ready, userSuggestion={"text": "x", "origin": {"kind": "agent"}}),
        {name: value for name, value in approval(ready).items() if name != "confirmed"},
        approval(ready) | {"approved": "yes"},
        {
            "type": "chat/toolCallResultConfirmed",
            "turnId": turn_id,
            "toolCallId": ready["toolCallId"],
            "approved": True,
        },
        {
            "type": "chat/toolCallComplete",
            "turnId": turn_id,
            "toolCallId": ready["toolCallId"],
            "result": {"success": True, "pastTenseMessage": "x"},
        },
        {"type": "chat/toolCallContentChanged", "turnId": turn_id, "toolCallId": ready["toolCallId"], "content": []},
    ]
    for action in wrong:
        assert await refusal(talk.client, talk.chat, action)
    await accepted(talk.client, talk.chat, denial(ready))
    await talk.ended(turn_id)


@covers("sessions.input-needed", "sessions.answer-anywhere")
async def test_a_block_is_mirrored_and_answered_from_anywhere(talk: Talk, connect: Connect, agrees: Agrees) -> None:
    only_session = await connect("bob", talk.session)
    second = await talk.another_chat()
    turns = {chat.chat: await chat.start("tool notes.txt text\nask Which?") for chat in (talk, second)}
    for kind in ("toolConfirmation", "chatInput"):
        await only_session.until(lambda k=kind: blocks(only_session, talk, k) == set(turns), f"{kind} of both chats")  # type: ignore[misc]
        await agrees(only_session, talk.session)
        for request in needed(only_session, talk):
            answer = {
                "type": "chat/inputCompleted",
                "requestId": request.get("request", {}).get("id"),
                "response": "decline",
            }
            if kind == "toolConfirmation":
                assert request["turnId"] == turns[request["chat"]]
                answer = approval({"turnId": request["turnId"], "toolCallId": request["toolCall"]["toolCallId"]})
            await only_session.dispatch(request["chat"], answer)
            await only_session.action(talk.session, "session/inputNeededRemoved", id=request["id"])
    for chat in (talk, second):
        assert (await chat.ended(turns[chat.chat]))["type"] == "chat/turnComplete"
    assert needed(only_session, talk) == []
    await agrees(only_session, talk.session)


def needed(client: Any, talk: Talk) -> list[Message]:
    """What the session waits for, as a client knows it."""
    found: list[Message] = Talk(client, talk.session, talk.chat).session_state.get("inputNeeded", [])
    return found


def blocks(client: Any, talk: Talk, kind: str) -> set[str]:
    """The chats that wait in this way."""
    return {request["chat"] for request in needed(client, talk) if request["kind"] == kind}


@covers("chats.confirm")
async def test_a_tool_writes_in_the_primary_directory(connect: Connect) -> None:
    client = await connect()
    root = client.frames[0]["result"]["defaultDirectory"]
    directories = [f"{root}/{name}-{client.client_id}" for name in ("first", "second")]
    talk = await begin(client, workingDirectories=directories, primaryWorkingDirectory=directories[1])
    assert talk.chat_state["primaryWorkingDirectory"] == directories[1]
    turn_id, ready = await waiting(talk, "tool here.txt text")
    await accepted(client, talk.chat, approval(ready))
    await talk.ended(turn_id)
    assert [path_of(directory, "here.txt").exists() for directory in directories] == [False, True]
