"""What is in one directory of customizations?"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any

from sessions_app.customizations import frontmatter
from sessions_app.customizations.frontmatter import Malformed, Value
from sessions_app.customizations.places import Contents, Place
from sessions_app.customizations.sources import Source, Unreadable

Json = dict[str, Any]

MAX_CHILDREN = 200
MAX_TEXT = 2_000
SUFFIXES = (".agent.md", ".prompt.md", ".instructions.md", ".md", ".mdc", ".json")


def minted(*parts: str) -> str:
    """The id of what these say: the same each time it is found."""
    return hashlib.sha256("\x00".join(parts).encode(errors="replace")).hexdigest()[:20]


def item(kind: str, uri: str, name: str, **more: Any) -> Json:
    """A customization; the id comes of its kind, where it is, and its name."""
    return {"type": kind, "id": minted(kind, uri, name), "uri": uri, "name": name, **more}


async def children_of(source: Source, place: Place) -> tuple[list[Json], list[str]] | None:
    """The children in a place, and what is wrong with some of its files; None where there is no such directory."""
    entries = await source.entries(*place.path)
    if entries is None:
        return None
    found: list[Json] = []
    wrong: list[str] = []
    for name, is_directory in entries[:MAX_CHILDREN]:
        path = _file_of(place, name, is_directory)
        if path is None:
            continue
        try:
            text = await source.text(*path)
            if text is not None:
                found.append(_child(place, source.uri(*path), name, text))
        except (Malformed, Unreadable) as error:
            wrong.append(f"{name}: {error}")
    if len(entries) > MAX_CHILDREN:
        wrong.append(f"only the first {MAX_CHILDREN} entries are looked at")
    return found, wrong


def load_state(wrong: list[str]) -> Json:
    """The `CustomizationLoadState` of a container that was read."""
    if not wrong:
        return {"kind": "loaded"}
    more = f" (and {len(wrong) - 3} more)" if len(wrong) > 3 else ""
    return {"kind": "degraded", "message": ("; ".join(wrong[:3]) + more)[:MAX_TEXT]}


def rule(uri: str, file_name: str, text: str, **more: Any) -> Json:
    """A file of instructions."""
    fields = frontmatter.read(text)
    return item("rule", uri, frontmatter.text(fields, "name") or _stem(file_name), **_of_rule(fields), **more)


def _file_of(place: Place, name: str, is_directory: bool) -> tuple[str, ...] | None:
    if place.layout == "skills":
        return (*place.path, name, "SKILL.md") if is_directory else None
    wanted = (".json",) if place.layout == "json" else (".md", ".mdc")
    return (*place.path, name) if not is_directory and name.endswith(wanted) else None


def _child(place: Place, uri: str, file_name: str, text: str) -> Json:
    if place.layout == "json":
        return item(place.contents, uri, _stem(file_name))
    fields = frontmatter.read(text)
    name = frontmatter.text(fields, "name") or _stem(file_name)
    return item(place.contents, uri, name[:200], **_DETAILS[place.contents](fields))


def _described(fields: Mapping[str, Value]) -> Json:
    description = frontmatter.text(fields, "description")
    return {"description": description[:MAX_TEXT]} if description else {}


def _invoked(fields: Mapping[str, Value]) -> Json:
    found = _described(fields)
    if fields.get("disable-model-invocation") is True:
        found["disableModelInvocation"] = True
    if fields.get("user-invocable", fields.get("user-invokable")) is False:
        found["disableUserInvocation"] = True
    return found


def _of_agent(fields: Mapping[str, Value]) -> Json:
    found = _invoked(fields)
    model, tools = frontmatter.text(fields, "model"), frontmatter.words(fields, "tools")
    if model and model != "inherit":
        found["model"] = model
    return {**found, "tools": tools[:100]} if tools else found


def _of_rule(fields: Mapping[str, Value]) -> Json:
    found = _described(fields)
    globs = frontmatter.words(fields, "globs", "applyTo", "paths")
    if isinstance(fields.get("alwaysApply"), bool):
        found["alwaysApply"] = fields["alwaysApply"]
    return {**found, "globs": globs[:100]} if globs else found


def _stem(file_name: str) -> str:
    return next((file_name.removesuffix(end) for end in SUFFIXES if file_name.endswith(end)), file_name)


_DETAILS: Mapping[Contents, Callable[[Mapping[str, Value]], Json]] = {
    "agent": _of_agent,
    "skill": _invoked,
    "prompt": _described,
    "rule": _of_rule,
    "hook": _described,
}
