"""What do the resource methods do with `file:` URIs?

Each finds the caller's fence, works in a thread and says what went wrong in the protocol's words. Source: PROTOCOL.md
section 12.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, TypeVar

from django.conf import settings

from ahp_platform.protocol import jsonrpc
from ahp_platform.protocol.jsonrpc import Encoded
from ahp_platform.rpc.context import Context
from ahp_platform.rpc.table import Params
from ahp_platform.workspaces import paths, reading, trees, writing
from ahp_platform.workspaces.fence import Fence
from ahp_platform.workspaces.paths import LeadsOut, Names
from ahp_platform.workspaces.trees import Spot
from ahp_platform.workspaces.writing import Change
from changesets_app import bodies, space
from changesets_app.access import Access, elsewhere
from changesets_app.grants import asking
from changesets_app.refusals import told
from changesets_app.threads import in_thread

T = TypeVar("T")

# Encoding all of a long list at once would let no other thread run meanwhile; an entry takes about so much.
ENCODED_AT_ONCE, ENTRY_BYTES = 1_000, 48


class Files:
    """The methods; the caller's right to call them at all has been checked."""

    def __init__(self, access: Access) -> None:
        self._access = access

    async def read(self, context: Context, params: Params) -> Encoded:
        """`resourceRead`."""

        def body(fence: Fence, names: Names) -> Encoded:
            guessed = bodies.type_of(names[-1]) if names else None
            limit = settings.AHP_MAX_READ_BYTES
            size = min(limit, reading.find(fence, names, follow=True).status.st_size)
            source = bodies.Source(size, lambda: reading.chunks(fence, names, limit))
            return bodies.result(source, params.get("encoding"), guessed)

        return await self._at(context, params["uri"], body)

    async def list(self, context: Context, params: Params) -> Encoded:
        """`resourceList`."""

        def found(fence: Fence, names: Names) -> tuple[bool, list[tuple[str, str]]]:
            where, entries = reading.entries(fence, names)
            return fence.holds_own_directories(where), entries

        own, entries = await self._at(context, params["uri"], found)
        if own:
            mine = await self._access.entered(context.principal, [name for name, _ in entries])
            entries = [entry for entry in entries if entry[0] in mine]
        return await in_thread(lambda: _listed(entries))

    async def resolve(self, context: Context, params: Params) -> dict[str, Any]:
        """`resourceResolve`."""
        follow = params.get("followSymlinks", True)

        def result(fence: Fence, names: Names) -> dict[str, Any]:
            found = reading.find(fence, names, follow=follow)
            return _resolved(paths.uri_of(fence.root, found.names), found)

        return await self._at(context, params["uri"], result)

    async def write(self, context: Context, params: Params) -> dict[str, Any]:
        """`resourceWrite`."""
        change = Change(
            data=await in_thread(lambda: bodies.data_of(params["data"], params["encoding"])),
            mode=params.get("mode", "truncate"),
            position=int(params.get("position", 0)),
            create_only=params.get("createOnly", False),
            if_match=params.get("ifMatch"),
        )
        await self._at(context, params["uri"], lambda fence, names: writing.write(fence, names, change), write=True)
        return {}

    async def mkdir(self, context: Context, params: Params) -> dict[str, Any]:
        """`resourceMkdir`."""
        await self._at(context, params["uri"], trees.mkdir, write=True)
        return {}

    async def delete(self, context: Context, params: Params) -> dict[str, Any]:
        """`resourceDelete`."""
        recursive = params.get("recursive", False)

        def work(fence: Fence, names: Names) -> None:
            trees.delete(fence, names, recursive=recursive)

        await self._at(context, params["uri"], work, write=True)
        return {}

    async def copy(self, context: Context, params: Params) -> dict[str, Any]:
        """`resourceCopy`."""
        return await self._transfer(context, params, trees.copy, takes=False)

    async def move(self, context: Context, params: Params) -> dict[str, Any]:
        """`resourceMove`."""
        return await self._transfer(context, params, trees.move, takes=True)

    async def request(self, context: Context, params: Params) -> dict[str, Any]:
        """`resourceRequest`: what is inside is granted already; of the rest, people are asked."""
        write = params.get("write", False)
        if write:
            self._access.policy.require_method(context.principal, "resourceWrite")

        with told(params["uri"], write=write):
            try:
                self._access.names_of(context, params["uri"])
            except LeadsOut:
                await asking.ask(context, params["uri"], elsewhere(params["uri"]), write=write)
                return {}

        def look(fence: Fence, names: Names) -> None:
            with suppress(FileNotFoundError, NotADirectoryError):
                reading.find(fence, names, follow=True)

        await self._at(context, params["uri"], look, write=write)
        return {}

    async def _at(self, context: Context, uri: str, work: Callable[[Fence, Names], T], *, write: bool = False) -> T:
        with told(uri, write=write):
            fence, names = await self._access.reach(context, uri, write=write)
            return await in_thread(lambda: work(fence, names))

    async def _transfer(
        self, context: Context, params: Params, work: Callable[..., None], *, takes: bool
    ) -> dict[str, Any]:
        source, destination = params["source"], params["destination"]
        with told(source, write=takes):
            start = Spot(*await self._access.reach(context, source, write=takes))
            # What is wrong with the source is told of the source; from then on it is the destination.
            await in_thread(lambda: reading.find(start.fence, start.names, follow=not takes))
        with told(destination, write=True):
            end = Spot(*await self._access.reach(context, destination, write=True))
            if not takes:
                await _require_space(context, start, end)
            await in_thread(lambda: work(start, end, new=params.get("failIfExists", False)))
        return {}


async def _require_space(context: Context, source: Spot, destination: Spot) -> None:
    """Raise where a copy would not fit into what the tenant may keep; elsewhere than in its own directory nobody counts."""
    who = context.principal.tenant_id, context.principal.user_id
    if destination.fence.is_tenants and await space.require(*who, 0):
        await space.require(*who, await in_thread(lambda: trees.size(source)))


def _listed(entries: list[tuple[str, str]]) -> Encoded:
    """The `ResourceListResult`, made where it holds up nobody: there may be hundreds of thousands."""
    made = Encoded(len(entries) * ENTRY_BYTES)
    made.add(b'{"entries":[')
    for start in range(0, len(entries), ENCODED_AT_ONCE):
        some = [{"name": paths.shown(name), "type": kind} for name, kind in entries[start : start + ENCODED_AT_ONCE]]
        made.add(b"," * bool(start) + jsonrpc.utf8(some)[1:-1])
    made.add(b"]}")
    return made


def _resolved(uri: str, found: reading.Found) -> dict[str, Any]:
    result: dict[str, Any] = {
        "uri": uri,
        "type": found.kind,
        "size": found.status.st_size,
        "mtime": _time(found.status.st_mtime_ns),
        "ctime": _time(found.status.st_ctime_ns),
        "etag": reading.etag(found.status),
    }
    guessed = bodies.type_of(found.names[-1]) if found.kind == reading.FILE else None
    return {**result, "contentType": guessed} if guessed else result


def _time(ns: int) -> str:
    return datetime.fromtimestamp(ns / 1e9, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
