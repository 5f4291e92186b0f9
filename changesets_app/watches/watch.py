"""How do changes of one watched place become actions of its channel?

The kernel's news wake a task, which gathers for a moment, takes them in a thread and appends them in bounded batches;
the next ones are taken when these are committed. Source: PROTOCOL.md section 12 (`createResourceWatch`).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from ahp_platform.eventlog.log import TenantLog
from ahp_platform.workspaces import paths
from ahp_platform.workspaces.paths import LeadsOut, Names
from changesets_app.threads import in_thread
from changesets_app.watches.globs import Globs
from changesets_app.watches.inotify import Inotify
from changesets_app.watches.tree import Changes, Place, WatchedTree

logger = logging.getLogger(__name__)

# Long enough for a program that saves a file in several steps to be done with it.
GATHER_S = 0.05
MAX_ITEMS = 500


@dataclass(frozen=True, slots=True)
class Described:
    """What is watched: `place` is what the client calls `root`, or the directory of the one file `only`."""

    root: str
    place: Place
    only: str | None
    recursive: bool
    includes: Globs | None
    excludes: Globs


class Watch:
    """A watch of this process on its channel `uri`."""

    def __init__(self, uri: str, log: TenantLog, queue: Inotify, what: Described) -> None:
        self.uri, self.log, self._what = uri, log, what
        self._ready = asyncio.Event()
        recursive = what.recursive and what.only is None
        loop = asyncio.get_running_loop()

        def wake() -> None:
            loop.call_soon_threadsafe(self._ready.set)

        self._tree = WatchedTree(queue, what.place, recursive, self._wanted, wake)
        self._task: asyncio.Task[None] | None = None

    async def arm(self) -> None:
        """From now on changes are noticed; raises `OSError`."""
        try:
            await in_thread(self._tree.arm)
        except BaseException:
            await in_thread(self._tree.close)
            raise

    def start(self, failed: Callable[[], None]) -> None:
        """Begin to report; `failed` is called if that ends by an error."""
        self._task = asyncio.create_task(self._report())
        self._task.add_done_callback(lambda task: None if task.cancelled() else failed())

    async def stop(self) -> None:
        """Report nothing more and let go of everything."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        await in_thread(self._tree.close)

    async def _report(self) -> None:
        try:
            while True:
                await self._ready.wait()
                await asyncio.sleep(GATHER_S)
                self._ready.clear()
                await self._emit(await asyncio.shield(in_thread(self._tree.take)))
        except Exception:
            logger.exception("a watch failed")

    async def _emit(self, changes: Changes) -> None:
        items = list(self._items(changes))
        marks = {"_meta": {"overflow": True}} if changes.overflowed else {}
        for start in range(0, len(items), MAX_ITEMS):
            batch = {"items": items[start : start + MAX_ITEMS]}
            await self.log.emit(self.uri, {"type": "resourceWatch/changed", "changes": batch, **marks})

    def _items(self, changes: Changes) -> Iterator[Mapping[str, Any]]:
        for names, kind in changes.items.items():
            if self._what.only is not None:
                if names[:1] in ((), (self._what.only,)):
                    yield {"uri": self._what.root, "type": kind}
            elif not names or self._what.includes is None or self._what.includes.match(names):
                yield {"uri": paths.joined(self._what.root, names), "type": kind}

    def _wanted(self, names: Names) -> bool:
        if self._what.excludes.match(names):
            return False
        with suppress(LeadsOut):
            self._what.place.fence.require((*self._what.place.names, *names))
            return True
        return False
