"""Does a server's form become the questions that it means, and do the answers become what it asked for?"""

from __future__ import annotations

from typing import Any

import pytest

from ahp_platform.mcp.elicitation import content_of, questions_of
from ahp_platform.mcp.results import tool_result
from ahp_platform.protocol.shape import Shape
from ahp_platform.protocol.types.questions import ChatInputRequest
from ahp_platform.protocol.types.tool_results import ToolCallResult

REQUEST, RESULT = Shape(ChatInputRequest), Shape(ToolCallResult)


def asked(**fields: Any) -> list[dict[str, Any]]:
    request = questions_of({"message": "?", "requestedSchema": {"type": "object", "properties": fields}})
    REQUEST.check(request, "request")
    questions: list[dict[str, Any]] = request["questions"]
    return questions


def test_each_kind_of_field_is_a_kind_of_question() -> None:
    kinds = asked(
        text={"type": "string", "format": "email", "minLength": 3, "default": "a@b"},
        number={"type": "number", "minimum": 0, "maximum": 1},
        whole={"type": "integer", "default": 4},
        yes={"type": "boolean", "default": True},
        one={"type": "string", "enum": ["a", "b"]},
        titled={"type": "string", "oneOf": [{"const": "a", "title": "A"}]},
        many={"type": "array", "items": {"type": "string", "enum": ["a", "b"]}, "minItems": 1},
        odd={"type": "object"},
    )
    found = {question["id"]: question for question in kinds}
    assert [question["kind"] for question in kinds] == [
        "text", "number", "integer", "boolean", "single-select", "single-select", "multi-select", "text",
    ]  # fmt: skip
    assert (found["text"]["min"], found["text"]["format"], found["text"]["defaultValue"]) == (3, "email", "a@b")
    assert (found["number"]["min"], found["number"]["max"]) == (0, 1)
    assert found["yes"]["defaultValue"] is True
    assert found["titled"]["options"] == [{"id": "a", "label": "A"}]
    assert found["many"]["min"] == 1


@pytest.mark.parametrize(
    "schema", [None, 5, [], {}, {"properties": []}, {"properties": {"a": 5}}, {"required": 0, "properties": {}}]
)
def test_a_form_that_is_none_asks_for_consent_alone(schema: Any) -> None:
    request = questions_of({"message": "Go on?", "requestedSchema": schema})
    REQUEST.check(request, "request")
    assert "questions" not in request


def test_answers_become_the_content() -> None:
    form = {"message": "?", "requestedSchema": {}}
    answers = {
        "a": {"state": "submitted", "value": {"kind": "number", "value": 2.0}},
        "b": {"state": "submitted", "value": {"kind": "selected-many", "value": ["x"]}},
        "c": {"state": "skipped"},
    }
    assert content_of(form, "accept", answers) == {"action": "accept", "content": {"a": 2, "b": ["x"]}}
    assert content_of(form, "decline", {}) == {"action": "decline"}
    assert content_of(form, "cancel", {}) == {"action": "cancel"}


def test_a_url_is_shown_and_consented_to() -> None:
    form = {"mode": "url", "message": "Log in", "url": "https://mcp.example/login", "elicitationId": "1"}
    request = questions_of(form)
    REQUEST.check(request, "request")
    assert request["url"] == "https://mcp.example/login"
    assert content_of(form, "accept", {}) == {"action": "accept"}


@pytest.mark.parametrize(
    "result",
    [
        {"content": [{"type": "image", "data": "AA==", "mimeType": "image/png"}]},
        {"content": [{"type": "resource_link", "uri": "note:///1", "name": "n", "mimeType": "text/plain"}]},
        {"content": [{"type": "resource", "resource": {"uri": "note:///1", "text": "x"}}]},
        {"content": [{"type": "resource", "resource": {"uri": "note:///1", "blob": "AA=="}}]},
        {"content": [{"type": "new", "thing": 1}, 5], "structuredContent": {"a": 1}},
        {"content": None},
        {},
        {"isError": True},
    ],
)
def test_every_result_has_a_form_that_clients_know(result: dict[str, Any]) -> None:
    shown = tool_result("echo", result)
    RESULT.check(shown, "result")
    assert shown["success"] is not result.get("isError", False)
