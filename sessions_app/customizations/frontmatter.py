"""What does a Markdown file say of itself before its text?

The part of YAML that such files use: one `name: value` a line, values being words, quoted words, `true` or `false`, `[a, b]`, or items
that follow as `- item` or as an indented text. Anything else is kept as the text that it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

Value = str | bool | list[str]

_FENCE = re.compile(r"\A\ufeff?---[ \t]*\r?\n(.*?)(?:\r?\n)?^---[ \t]*\r?$", re.DOTALL | re.MULTILINE)
_FIELD = re.compile(r"([A-Za-z_][\w.-]*)[ \t]*:(?:[ \t]+(.*))?\Z")
_BLOCK = frozenset({"|", ">", "|-", ">-"})


class Malformed(ValueError):
    """The file begins like one that says something of itself, and then does not."""


def read(text: str) -> Mapping[str, Value]:
    """The fields; empty where the file has none. Raises `Malformed`."""
    if not text.lstrip("\ufeff").startswith("---"):
        return {}
    found = _FENCE.match(text)
    if found is None:
        raise Malformed("its first lines begin with --- and do not end with it")
    fields: dict[str, Value] = {}
    lines = found.group(1).splitlines()
    at = 0
    while at < len(lines):
        field = _FIELD.match(lines[at].rstrip())
        at += 1
        if field is None:
            continue
        below = at
        while at < len(lines) and (not lines[at].strip() or lines[at][:1] in (" ", "\t") or lines[at].startswith("- ")):
            at += 1
        fields[field.group(1)] = _value((field.group(2) or "").strip(), lines[below:at])
    return fields


def words(fields: Mapping[str, Value], *names: str) -> list[str]:
    """The list under the first of the names that is there; commas separate the items of a text."""
    found = next((fields[name] for name in names if name in fields), None)
    if isinstance(found, list):
        return found
    return [word for word in (part.strip() for part in found.split(",")) if word] if isinstance(found, str) else []


def text(fields: Mapping[str, Value], name: str) -> str:
    """The text under a name; empty where there is none."""
    found = fields.get(name)
    return found if isinstance(found, str) else ""


def _value(first: str, below: Sequence[str]) -> Value:
    items = [line.strip() for line in below if line.strip()]
    if first in _BLOCK:
        return " ".join(items)
    if not first:
        return [_plain(item[1:]) for item in items if item.startswith("-")]
    if first.startswith("[") and first.endswith("]"):
        return [_plain(part) for part in first[1:-1].split(",") if part.strip()]
    if first in ("true", "false"):
        return first == "true"
    return " ".join([_plain(first), *items]) if items else _plain(first)


def _plain(text: str) -> str:
    word = text.strip()
    quoted = len(word) > 1 and word[0] == word[-1] and word[0] in "\"'"
    return word[1:-1] if quoted else word
