"""What must happen to a session's customizations so that they are what was found?

What people have switched on and off stays, and so does the state of servers; nothing else of the old ones does. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Json = dict[str, Any]
Item = Mapping[str, Any]

STOPPED: Json = {"kind": "stopped"}
# The error of a server that cannot be started as its file declares it; it is over when the file is right.
MISDECLARED = "declaration"
# What a running server adds to its customization.
RUNTIME = ("state", "channel", "mcpApp")


def actions(found: Sequence[Item], current: Sequence[Item]) -> list[Json]:
    """The actions that make `current` what `found` says."""
    before = {item["id"]: item for item in current}
    wanted = merged(found, current)
    if not current:
        return [{"type": "session/customizationsChanged", "customizations": wanted}] if wanted else []
    kept = {item["id"] for item in wanted}
    gone: list[Json] = [{"type": "session/customizationRemoved", "id": id} for id in before if id not in kept]
    new = [item for item in wanted if before.get(item["id"]) != item]
    return gone + [{"type": "session/customizationUpdated", "customization": item} for item in new]


def merged(found: Sequence[Item], current: Sequence[Item]) -> list[Json]:
    """The customizations that were found, with what the session knows of each."""
    before = {item["id"]: item for item in every(current)}
    return [_merged(item, before) for item in found]


def every(customizations: Sequence[Item]) -> Iterator[Item]:
    """All of them, those in containers too."""
    for item in customizations:
        yield item
        yield from item.get("children", ())


def servers(customizations: Sequence[Item]) -> Iterator[tuple[Item, bool]]:
    """The MCP servers, and whether each is switched on, as its container must be."""
    for item in customizations:
        if item["type"] == "mcpServer":
            yield item, bool(item["enabled"])
        for child in item.get("children", ()):
            if child["type"] == "mcpServer":
                yield child, bool(item["enabled"] and child["enabled"])


def _merged(item: Item, before: Mapping[str, Item]) -> Json:
    old = before.get(item["id"], {})
    new: Json = dict(item)
    if "enabled" in old:
        new["enabled"] = old["enabled"]
    if item["type"] == "mcpServer" and "state" not in item:
        new |= {"state": STOPPED} | {name: old[name] for name in RUNTIME if name in old}
        if new["state"].get("error", {}).get("errorType") == MISDECLARED:
            new["state"] = STOPPED
    if "children" in item:
        new["children"] = [_merged(child, before) for child in item["children"]]
    return new
