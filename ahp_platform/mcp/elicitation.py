"""How is a question of an MCP server (elicitation) put to the people in a chat, and what does it get back?

A form has flat fields of strings, numbers, booleans and choices: each becomes one question. What is not one of these is asked as text.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

Json = dict[str, Any]

MAX_QUESTIONS = 50
KINDS = {"string": "text", "number": "number", "integer": "integer", "boolean": "boolean"}
BOUNDS = (("min", ("minLength", "minimum", "minItems")), ("max", ("maxLength", "maximum", "maxItems")))


def questions_of(params: Mapping[str, Any]) -> Json:
    """The `ChatInputRequest` for an `elicitation/create`."""
    request: Json = {"id": str(uuid.uuid4()), "message": str(params.get("message", ""))}
    if params.get("mode") == "url":
        return {**request, "url": str(params.get("url", ""))}
    schema = params.get("requestedSchema", {})
    fields = schema.get("properties", {}) if isinstance(schema, Mapping) else {}
    required = _list(schema.get("required")) if isinstance(schema, Mapping) else []
    items = list(fields.items())[:MAX_QUESTIONS] if isinstance(fields, Mapping) else []
    asked = [_question(str(name), field, name in required) for name, field in items if isinstance(field, Mapping)]
    return {**request, "questions": asked} if asked else request


def content_of(params: Mapping[str, Any], response: str, answers: Mapping[str, Any]) -> Json:
    """The `ElicitResult` for what people answered."""
    if response != "accept":
        return {"action": "decline" if response == "decline" else "cancel"}
    if params.get("mode") == "url":
        return {"action": "accept"}
    given = {name: _value(answer) for name, answer in answers.items() if answer.get("state") != "skipped"}
    return {"action": "accept", "content": given}


def _question(name: str, field: Mapping[str, Any], required: bool) -> Json:
    message = str(field.get("description") or field.get("title") or name)
    question: Json = {"id": name, "message": message, "required": required}
    if isinstance(field.get("title"), str):
        question["title"] = field["title"]
    inner = field.get("items")
    many = field.get("type") == "array" and isinstance(inner, Mapping)
    options = _options(inner if many and isinstance(inner, Mapping) else field)
    if options:
        question |= {"kind": "multi-select" if many else "single-select", "options": options}
    else:
        question["kind"] = KINDS.get(str(field.get("type")), "text")
    return {**question, **_details(question["kind"], field)}


def _details(kind: str, field: Mapping[str, Any]) -> Json:
    found: Json = {}
    if kind not in ("boolean", "single-select"):
        for ours, theirs in BOUNDS:
            bound = next((field[name] for name in theirs if _is_number(field.get(name))), None)
            if bound is not None:
                found[ours] = bound
    if kind == "text" and isinstance(field.get("format"), str):
        found["format"] = field["format"]
    default = field.get("default")
    fits = {"text": isinstance(default, str), "boolean": isinstance(default, bool)}
    if fits.get(kind, kind in ("number", "integer") and _is_number(default)):
        found["defaultValue"] = default
    return found


def _options(field: Mapping[str, Any]) -> list[Json]:
    titled = field.get("oneOf", field.get("anyOf"))
    if isinstance(titled, Sequence) and not isinstance(titled, str):
        pairs = [(each.get("const"), each.get("title")) for each in titled if isinstance(each, Mapping)]
    else:
        values, names = _list(field.get("enum")), _list(field.get("enumNames"))
        pairs = [(value, names[i] if i < len(names) else None) for i, value in enumerate(values)]
    return [{"id": str(value), "label": str(label or value)} for value, label in pairs if value is not None]


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _value(answer: Mapping[str, Any]) -> object:
    found = answer["value"]["value"]
    # The protocol has one kind of number; a server that asked for an integer gets one.
    return int(found) if isinstance(found, float) and found.is_integer() else found


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
