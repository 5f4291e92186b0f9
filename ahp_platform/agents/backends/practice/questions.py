"""How does the practice agent ask?"""

from __future__ import annotations

import json
import uuid

from ahp_platform.agents.backend import Json, Object, Sink, TurnRequest
from ahp_platform.agents.backends.practice.talk import begin, say


def _options(*labels: str) -> list[Json]:
    return [{"id": label.lower(), "label": label} for label in labels]


QUESTIONS: list[Json] = [
    {"id": "name", "kind": "text", "title": "Name", "message": "What is your favourite colour called?"},
    {"id": "ratio", "kind": "number", "title": "Ratio", "message": "How much of it do you want?", "min": 0, "max": 100},
    {"id": "count", "kind": "integer", "title": "Count", "message": "How many times?", "min": 0, "max": 100},
    {"id": "sure", "kind": "boolean", "title": "Sure", "message": "Are you sure?"},
    {
        "id": "size",
        "kind": "single-select",
        "title": "Size",
        "message": "Which size?",
        "options": _options("Small", "Medium", "Large"),
    },
    {
        "id": "days",
        "kind": "multi-select",
        "title": "Days",
        "message": "On which days?",
        "options": _options("Monday", "Wednesday", "Friday"),
    },
]


async def ask(turn: TurnRequest, sink: Sink, text: str) -> None:
    """One required question of each kind; then the answers as JSON."""
    questions = [{**question, "required": True} for question in QUESTIONS]
    request = {"id": str(uuid.uuid4()), "message": text or "One question of each kind.", "questions": questions}
    answers = await sink.ask(request)
    if answers.response != "accept":
        await say(turn, sink, f"No answers: {answers.response}.")
        return
    given = {question: _value(answer) for question, answer in answers.answers.items()}
    part = await begin(sink, "markdown")
    await sink.emit({"type": "chat/delta", "partId": part, "content": json.dumps(given, ensure_ascii=False)})


def _value(answer: Object) -> object:
    return None if answer["state"] == "skipped" else answer["value"]["value"]
