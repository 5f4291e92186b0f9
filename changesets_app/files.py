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

from ahp_platform.protocol.jsonrpc import Encoded
from ahp_platform.rpc.context import Context
from ahp_platform.rpc.table import Params
from ahp_platform.workspaces import paths, reading, trees, writing
from ahp_platform.workspaces.fence import Fence
from ahp_platform.workspaces.paths import Names
from ahp_platform.workspaces.writing import Change
from changesets_app import bodies
from changesets_app.access import Access
from changesets_app.refusals import told
from changesets_app.threads import in_thread

T = TypeVar("T")


class Files:
    """The methods; the caller's right to call them at all has been checked."""

    def __init__(self, access: Access) -> None:
        self._access = access

    async def read(self, context: Context, params: Params) -> Encoded:
        """`resourceRead`."""

        def body(fence: Fence, names: Names) -> Encoded:
            guessed = bodies.type_of(names[-1]) if names else None
            limit = settings.AHP_MAX_READ_BYTES
            return bodies.result(lambda: reading.chunks(fence, names, limit), params.get("encoding"), guessed)

        return await self._at(context, params["uri"], body)

    async def list(self, context: Context, params: Params) -> dict[str, Any]:
        """`resourceList`."""
        where, entries = await self._at(context, params["uri"], reading.entries)
        if reading.own_directories_at(where):
            mine = await self._access.entered(context.principal, [name for name, _ in entries])
            entries = [entry for entry in entries if entry[0] in mine]
        return {"entries": [{"name": paths.shown(name), "type": kind} for name, kind in entries]}

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
        """`resourceRequest`: what is inside is granted already, nothing else is granted yet."""
        write = params.get("write", False)
        if write:
            self._access.policy.require_method(context.principal, "resourceWrite")

        def look(fence: Fence, names: Names) -> None:
            with suppress(FileNotFoundError, NotADirectoryError):
                reading.find(fence, names, follow=True)

        await self._at(context, params["uri"], look, write=write)
        return {}

    async def _at(self, context: Context, uri: str, work: Callable[[Fence, Names], T], *, write: bool = False) -> T:
        with told(uri, write=write):
            names = self._access.names_of(context, uri)
            fence = await self._access.fence(context, names)
            return await in_thread(lambda: work(fence, names))

    async def _transfer(
        self, context: Context, params: Params, work: Callable[..., None], *, takes: bool
    ) -> dict[str, Any]:
        source, destination = params["source"], params["destination"]
        with told(source, write=takes):
            start = self._access.names_of(context, source)
            fence = await self._access.fence(context, start)
            # What is wrong with the source is told of the source; from then on it is the destination.
            await in_thread(lambda: reading.find(fence, start, follow=not takes))
        with told(destination, write=True):
            end = self._access.names_of(context, destination)
            both = await self._access.fence(context, start, end)
            await in_thread(lambda: work(both, start, end, new=params.get("failIfExists", False)))
        return {}


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
