"""What does an agent ask, and which answers does it get?"""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.client import Message
from tests.conftest import Connect
from tests.interaction.conftest import Agrees
from tests.interaction.conversation import Talk, accepted, refusal, text_of
from tests.interaction.requirements import covers


def answer(kind: str, value: object) -> Message:
    """A submitted answer."""
    return {"state": "submitted", "value": {"kind": kind, "value": value}}


ANSWERS: dict[str, Message] = {
    "name": answer("text", "blue \u2028 grün"),
    "ratio": answer("number", 12.5),
    "count": answer("number", 3),
    "sure": answer("boolean", False),
    "size": answer("selected", "medium"),
    "days": answer("selected-many", ["monday", "friday"]),
}
VALUES = {name: given["value"]["value"] for name, given in ANSWERS.items()}


async def asked(talk: Talk) -> tuple[str, Message]:
    """Start a turn that asks: its id and the request."""
    turn_id = await talk.start("ask Some questions.")
    request = (await talk.action("chat/inputRequested"))["request"]
    return turn_id, request


def completed(request: Message, response: str, **more: Any) -> Message:
    """The action that answers a request."""
    return {"type": "chat/inputCompleted", "requestId": request["id"], "response": response, **more}


def drafted(request: Message, question: str, **more: Any) -> Message:
    """The action that shares the draft of an answer."""
    return {"type": "chat/inputAnswerChanged", "requestId": request["id"], "questionId": question, **more}


@covers("chats.ask", "actions.converge")
async def test_answers_reach_the_agent(talk: Talk, connect: Connect, agrees: Agrees) -> None:
    bob = await talk.joined_by(await connect("bob"))
    turn_id, request = await asked(talk)
    assert {question["kind"] for question in request["questions"]} == {
        "text", "number", "integer", "boolean", "single-select", "multi-select",
    }  # fmt: skip
    assert all(question["required"] for question in request["questions"])
    await accepted(bob.client, talk.chat, drafted(request, "name", answer=answer("text", "red")))
    await accepted(bob.client, talk.chat, drafted(request, "size", answer=ANSWERS["size"]))
    await accepted(bob.client, talk.chat, drafted(request, "name"))
    await accepted(
        bob.client,
        talk.chat,
        drafted(request, "name", answer={"state": "draft", "value": answer("text", "blu")["value"]}),
    )
    await agrees(talk.client, talk.session, talk.chat)
    rest = {name: given for name, given in ANSWERS.items() if name != "size"}
    await accepted(talk.client, talk.chat, completed(request, "accept", answers=rest))
    assert (await talk.ended(turn_id))["type"] == "chat/turnComplete"
    assert json.loads(text_of(talk.turn(turn_id))) == VALUES
    part = next(part for part in talk.turn(turn_id)["responseParts"] if part["kind"] == "inputRequest")
    assert (part["response"], part["request"]["answers"]) == ("accept", ANSWERS)
    await agrees(bob.client, talk.session, talk.chat)


@covers("chats.ask")
@pytest.mark.parametrize("response", ["decline", "cancel"])
async def test_a_request_may_be_turned_down(talk: Talk, response: str) -> None:
    turn_id, request = await asked(talk)
    await accepted(talk.client, talk.chat, completed(request, response))
    await talk.ended(turn_id)
    assert response in text_of(talk.turn(turn_id))
    assert "inputNeeded" not in talk.session_state


@covers("chats.answers")
async def test_answers_must_fit_their_questions(talk: Talk) -> None:
    turn_id, request = await asked(talk)
    before = talk.chat_state
    wrong: list[Message] = [
        drafted(request, "name", answer=answer("number", 1)),
        drafted(request, "size", answer=answer("selected", "huge")),
        drafted(request, "days", answer=answer("selected", "monday")),
        drafted(request, "noSuchQuestion", answer=answer("text", "x")),
        drafted({"id": "none"}, "name", answer=answer("text", "x")),
        completed({"id": "none"}, "decline"),
        completed(request, "accept"),
        completed(request, "perhaps"),
        *(
            completed(request, "accept", answers={**ANSWERS, **change})
            for change in (
                {"name": answer("boolean", True)},
                {"name": answer("text", "")},
                {"name": {"state": "skipped"}},
                {"ratio": answer("number", 1000)},
                {"ratio": answer("text", "12")},
                {"count": answer("number", 1.5)},
                {"sure": answer("text", "yes")},
                {"size": answer("selected", "huge")},
                {"days": answer("selected-many", ["monday", "monday"])},
                {"days": answer("selected-many", ["sunday"])},
                {"more": answer("text", "x")},
            )
        ),
        *(completed(request, "accept", answers={k: v for k, v in ANSWERS.items() if k != name}) for name in ANSWERS),
    ]
    for action in wrong:
        assert await refusal(talk.client, talk.chat, action)
    assert talk.chat_state == before
    await accepted(talk.client, talk.chat, completed(request, "accept", answers=ANSWERS))
    await talk.ended(turn_id)
    assert json.loads(text_of(talk.turn(turn_id))) == VALUES


@covers("chats.answers")
async def test_a_request_is_closed_once(talk: Talk, connect: Connect) -> None:
    bob = await talk.joined_by(await connect("bob"))
    turn_id, request = await asked(talk)
    mine = await talk.client.dispatch(talk.chat, completed(request, "decline"))
    his = await bob.client.dispatch(talk.chat, completed(request, "cancel"))
    echoes = [await talk.client.echo(mine), await bob.client.echo(his)]
    (counted,) = [one["action"]["response"] for one in echoes if "rejectionReason" not in one]
    await talk.ended(turn_id)
    assert counted in text_of(talk.turn(turn_id))
    for action in (completed(request, "decline"), drafted(request, "name", answer=answer("text", "late"))):
        assert await refusal(bob.client, talk.chat, action)


@covers("chats.ask", "chats.open-calls")
async def test_a_turn_may_ask_twice(talk: Talk) -> None:
    turn_id = await talk.start("ask First?\nask Second?")
    for message in ("First?", "Second?"):
        request = await talk.client.until(lambda m=message: open_request(talk, m), message)  # type: ignore[misc]
        await accepted(talk.client, talk.chat, completed(request, "cancel"))
    await talk.ended(turn_id)
    parts = [part for part in talk.turn(turn_id)["responseParts"] if part["kind"] == "inputRequest"]
    assert [(part["request"]["message"], part["response"]) for part in parts] == [
        ("First?", "cancel"),
        ("Second?", "cancel"),
    ]


def open_request(talk: Talk, message: str) -> Message | None:
    """The request with this message, once it was asked."""
    asked = (one["action"] for one in talk.client.envelopes if one["action"]["type"] == "chat/inputRequested")
    return next((action["request"] for action in asked if action["request"]["message"] == message), None)
