"""Does an answer fit its question?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

Fields = Mapping[str, Any]

_KINDS: Final[dict[str, str]] = {
    "text": "text",
    "number": "number",
    "integer": "number",
    "boolean": "boolean",
    "single-select": "selected",
    "multi-select": "selected-many",
}


def refuse_answer(question: Fields, answer: Fields) -> str | None:
    """Why the answer cannot be one to this question, or None. It need not be complete: it may be a draft."""
    if answer["state"] == "skipped":
        return None
    kind = _KINDS.get(question["kind"])
    if kind is not None and answer["value"]["kind"] != kind:
        return f"The answer to {question['id']} must be of the kind {kind}"
    if not question["kind"].endswith("-select"):
        return None
    chosen = answer["value"]["value"]
    options = {option["id"] for option in question["options"]}
    free = question.get("allowFreeformInput", False)
    unknown = [value for value in ([chosen] if isinstance(chosen, str) else chosen) if value not in options]
    if (unknown or answer["value"].get("freeformValues")) and not free:
        return f"{question['id']} has no such option"
    return None


def refuse_final(question: Fields, answer: Fields | None) -> str | None:
    """Why the request cannot be accepted with this answer, or None."""
    if answer is None or answer["state"] == "skipped" or _is_empty(answer["value"]):
        return f"{question['id']} must be answered" if question.get("required") else None
    reason = refuse_answer(question, answer)
    check = _LIMITS.get(question["kind"])
    return reason or (check(question, answer["value"]) if check else None)


def _is_empty(value: Fields) -> bool:
    return value["value"] in ("", []) and not value.get("freeformValues")


def _outside(question: Fields, size: float, what: str) -> str | None:
    if "min" in question and size < question["min"]:
        return f"{question['id']}: {what} at least {question['min']}"
    if "max" in question and size > question["max"]:
        return f"{question['id']}: {what} at most {question['max']}"
    return None


def _refuse_text(question: Fields, value: Fields) -> str | None:
    units = len(value["value"].encode("utf-16-le")) // 2  # as clients count
    return _outside(question, units, "the length must be")


def _refuse_number(question: Fields, value: Fields) -> str | None:
    if question["kind"] == "integer" and value["value"] != int(value["value"]):
        return f"{question['id']}: the number must be whole"
    return _outside(question, value["value"], "the number must be")


def _refuse_many(question: Fields, value: Fields) -> str | None:
    if len(set(value["value"])) != len(value["value"]):
        return f"{question['id']}: an option is chosen twice"
    return _outside(
        question, len(value["value"]) + len(value.get("freeformValues", ())), "the number of choices must be"
    )


_LIMITS: Final[dict[str, Callable[[Fields, Fields], str | None]]] = {
    "text": _refuse_text,
    "number": _refuse_number,
    "integer": _refuse_number,
    "multi-select": _refuse_many,
}
