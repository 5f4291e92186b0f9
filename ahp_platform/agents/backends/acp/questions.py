"""How does an agent's elicitation become questions for people, and their answers what it asked for?

A form has one property a question. Source: PROTOCOL.md section 8 (`ChatInputRequest`).
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator

from acp.schema import (
    AcceptElicitationResponse,
    CancelElicitationResponse,
    CreateElicitationResponse,
    DeclineElicitationResponse,
)

from ahp_platform.agents.backend import Answers, Json, Object

CANCELLED = CancelElicitationResponse(action="cancel")

TEXT_FORMATS = frozenset({"email", "uri", "date", "date-time"})


def request(message: str, schema: Object) -> Json:
    """The `ChatInputRequest` of a form."""
    required = schema.get("required") or ()
    asked = [
        {"id": name, **_question(name, spec), **({"required": True} if name in required else {})}
        for name, spec in (schema.get("properties") or {}).items()
    ]
    return {"id": str(uuid.uuid4()), "message": message, "questions": asked}


def url_request(message: str, url: str) -> Json:
    """The `ChatInputRequest` of a page that somebody has to open."""
    return {"id": str(uuid.uuid4()), "message": message, "url": url}


def response(answers: Answers) -> CreateElicitationResponse:
    """The answer for the agent."""
    if answers.response == "cancel":
        return CANCELLED
    if answers.response == "decline":
        return DeclineElicitationResponse(action="decline")
    given = {name: answer["value"] for name, answer in answers.answers.items() if answer["state"] != "skipped"}
    content = {name: value["value"] for name, value in given.items()}
    return AcceptElicitationResponse.model_validate({"action": "accept", "content": content})


def _question(name: str, spec: Object) -> Json:
    question: Json = {"message": str(spec.get("description") or spec.get("title") or name)}
    if spec.get("title"):
        question["title"] = str(spec["title"])
    match spec.get("type"):
        case "number" | "integer":
            return {
                **question,
                "kind": spec["type"],
                **_renamed(spec, minimum="min", maximum="max", default="defaultValue"),
            }
        case "boolean":
            return {**question, "kind": "boolean", **_renamed(spec, default="defaultValue")}
        case "array":
            options = list(_options(spec.get("items") or {}))
            return {
                **question,
                "kind": "multi-select",
                "options": options,
                **_renamed(spec, minItems="min", maxItems="max"),
            }
    options = list(_options(spec))
    if options:
        return {**question, "kind": "single-select", "options": options}
    if spec.get("format") in TEXT_FORMATS:
        question["format"] = spec["format"]
    return {**question, "kind": "text", **_renamed(spec, minLength="min", maxLength="max", default="defaultValue")}


def _options(spec: Object) -> Iterator[Json]:
    for each in spec.get("oneOf") or spec.get("anyOf") or ():
        yield {"id": str(each["const"]), "label": str(each.get("title") or each["const"])}
    for value in spec.get("enum") or ():
        yield {"id": str(value), "label": str(value)}


def _renamed(spec: Object, **names: str) -> Json:
    return {ours: spec[theirs] for theirs, ours in names.items() if spec.get(theirs) is not None}
