"""Which files does somebody mean who writes `@` and a part of a name? Commands, after `/`, are next door.

Searched in the session's working directories, nearest first, for as long as the protocol allows and no longer; what was
found by then is the answer, and the next one knows more (`file_index.py`). Offsets are in UTF-16 units. Source:
PROTOCOL.md section 8 (`completions`).
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from ahp_platform.protocol.errors import InvalidParams
from ahp_platform.rpc.context import Context
from ahp_platform.rpc.subscriptions import require_readable
from ahp_platform.rpc.table import Params
from ahp_platform.workspaces import paths
from ahp_platform.workspaces.fence import Fence
from ahp_platform.workspaces.paths import LeadsOut, Names, NotAFileUri
from changesets_app import bodies, slash_commands
from changesets_app.access import Access
from changesets_app.file_index import indices
from changesets_app.threads import in_thread

SEARCH_S, ANSWER_S = 0.1, 0.15
MAX_ITEMS, MAX_FOUND = 20, 10_000

_MENTION = re.compile(r"(?:^|\s)@([^\s@]*)$")


@dataclass(frozen=True, slots=True)
class Place:
    """A working directory, in the client's spelling and by its names."""

    uri: str
    names: Names


async def complete(context: Context, access: Access, params: Params) -> dict[str, Any]:
    """The `CompletionsResult`; empty where nothing is found in time."""
    await require_readable(context, access.policy, params["channel"], "chat")
    before, offset = _before(params["text"], params["offset"])
    if (command := slash_commands.begun(before)) is not None:
        return {"items": await slash_commands.complete(context, params["channel"], command, offset)}
    mention = _MENTION.search(before)
    if mention is None:
        return {"items": []}
    places = [
        place for uri in await _directories(context, params["channel"]) if (place := _place(context, access, uri))
    ]
    fence = await access.fence(context, *(place.names for place in places))
    deadline = time.monotonic() + SEARCH_S
    wanted, start = mention[1], offset - _units(mention[1]) - 1
    found: list[tuple[Place, Names]] = []
    with suppress(TimeoutError):
        search = in_thread(lambda: _best(fence, places, wanted, deadline))
        found = await asyncio.wait_for(search, ANSWER_S)
    return {"items": [_item(place, names, start, offset) for place, names in found]}


def _before(text: str, offset: float) -> tuple[str, int]:
    """The text before the cursor, and the cursor in UTF-16 units."""
    encoded = text.encode("utf-16-le", "surrogatepass")
    units = int(offset)
    if not 0 <= units <= len(encoded) // 2:
        raise InvalidParams("params.offset: not within the text")
    return encoded[: units * 2].decode("utf-16-le", "replace"), units


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


async def _directories(context: Context, chat: str) -> Sequence[str]:
    session = context.log.peek(chat).parent
    if session is None:
        return ()
    directories: Sequence[str] = (await context.log.state(session)).get("workingDirectories", ())
    return directories


def _place(context: Context, access: Access, uri: str) -> Place | None:
    with suppress(NotAFileUri, LeadsOut):
        return Place(uri, access.names_of(context, uri))
    return None


def _best(fence: Fence, places: Sequence[Place], wanted: str, deadline: float) -> list[tuple[Place, Names]]:
    found: list[tuple[int, int, str, Place, Names]] = []
    for place in places:
        for names in indices.files(fence, place.names, wanted, deadline):
            rank = _rank("/".join(names), names[-1], wanted)
            if rank is not None:
                found.append((rank, len(names), "/".join(names), place, names))
                if len(found) >= MAX_FOUND:
                    break
    found.sort(key=lambda each: each[:3])
    return [(place, names) for *_, place, names in found[:MAX_ITEMS]]


def _rank(path: str, name: str, wanted: str) -> int | None:
    """How well a file fits, 0 best; None: not at all."""
    wanted, path, name = wanted.casefold(), path.casefold(), name.casefold()
    for rank, fits in enumerate((name == wanted, name.startswith(wanted), path.startswith(wanted), wanted in path)):
        if fits:
            return rank
    return None


def _item(place: Place, names: Names, start: int, end: int) -> dict[str, Any]:
    shown = [paths.shown(name) for name in names]
    uri = paths.joined(place.uri, names)
    attachment: dict[str, Any] = {"type": "resource", "uri": uri, "label": shown[-1], "displayKind": "document"}
    content_type = bodies.type_of(names[-1])
    if content_type:
        attachment["contentType"] = content_type
    return {"insertText": f"@{'/'.join(shown)}", "rangeStart": start, "rangeEnd": end, "attachment": attachment}
