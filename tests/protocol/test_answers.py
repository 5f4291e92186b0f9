"""Which answers fit which questions?"""

from __future__ import annotations

from typing import Any

import pytest

from ahp_platform.protocol.channel import check_action, refuse
from tests.protocol.cases.case import ME
from tests.protocol.cases.chat import busy
from tests.protocol.cases.chat_refusals import complete

OPTIONS = [{"id": "a", "label": "A"}, {"id": "b", "label": "B"}]


def value(kind: str, given: Any, *free: str) -> dict[str, Any]:
    more = {"freeformValues": list(free)} if free else {}
    return {"state": "submitted", "value": {"kind": kind, "value": given, **more}}


def question(kind: str, **more: Any) -> dict[str, Any]:
    return {"id": "q", "kind": kind, "message": "?", **more}


TEXT = question("text", min=2, max=3)
NUMBER = question("number", min=0.5, max=2)
WHOLE = question("integer")
YES_NO = question("boolean", required=True)
ONE = question("single-select", options=OPTIONS, required=True)
ONE_OR_FREE = question("single-select", options=OPTIONS, allowFreeformInput=True)
MANY = question("multi-select", options=OPTIONS, min=1, max=2)
MANY_OR_FREE = question("multi-select", options=OPTIONS, allowFreeformInput=True, max=2, required=True)

FITTING: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (TEXT, value("text", "ab")),
    (TEXT, value("text", "\U0001f600")),
    (TEXT, {"state": "skipped"}),
    (TEXT, value("text", "")),
    (NUMBER, value("number", 0.5)),
    (WHOLE, value("number", 3.0)),
    (YES_NO, value("boolean", False)),
    (ONE, value("selected", "a")),
    (ONE_OR_FREE, value("selected", "mine")),
    (MANY, value("selected-many", ["a", "b"])),
    (MANY_OR_FREE, value("selected-many", [], "mine")),
    (question("future-kind", required=True), value("text", "x")),
]
UNFITTING: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    (TEXT, value("text", "a"), "q: the length must be at least 2"),
    (TEXT, value("text", "abcd"), "q: the length must be at most 3"),
    (NUMBER, value("number", 0), "q: the number must be at least 0.5"),
    (NUMBER, value("number", 3), "q: the number must be at most 2"),
    (NUMBER, value("text", "1"), "The answer to q must be of the kind number"),
    (WHOLE, value("number", 1.5), "q: the number must be whole"),
    (YES_NO, {"state": "skipped"}, "q must be answered"),
    (ONE, value("selected", "c"), "q has no such option"),
    (ONE, value("selected", "a", "and more"), "q has no such option"),
    (ONE, value("selected", ""), "q has no such option"),
    (MANY, value("selected-many", ["a", "c"]), "q has no such option"),
    (MANY, value("selected-many", ["a", "a"]), "q: an option is chosen twice"),
    (MANY_OR_FREE, value("selected-many", ["a", "b"], "mine"), "q: the number of choices must be at most 2"),
    (MANY_OR_FREE, value("selected-many", []), "q must be answered"),
]
REASONS = {reason for _, _, reason in UNFITTING}


def judged(asked: dict[str, Any], answer: dict[str, Any]) -> str | None:
    state = busy({"kind": "inputRequest", "request": {"id": "r", "questions": [asked]}}, status=24)
    action = complete("accept", q=answer)
    check_action(action)
    return refuse("chat", state, action, ME)


@pytest.mark.parametrize(("asked", "answer"), FITTING)
def test_answer_that_fits(asked: dict[str, Any], answer: dict[str, Any]) -> None:
    assert judged(asked, answer) is None


@pytest.mark.parametrize(("asked", "answer", "reason"), UNFITTING)
def test_answer_that_does_not_fit(asked: dict[str, Any], answer: dict[str, Any], reason: str) -> None:
    assert judged(asked, answer) == reason


def test_drafts_count_as_answers_when_the_request_is_accepted() -> None:
    request = {"id": "r", "questions": [YES_NO], "answers": {"q": value("boolean", True)}}
    state = busy({"kind": "inputRequest", "request": request}, status=24)
    assert refuse("chat", state, complete("accept"), ME) is None
