"""How does the keeper of a session hear that something has changed in its working directories?"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence

from ahp_platform.workspaces.paths import Names
from sessions_app.customizations.places import WATCHED
from sessions_app.customizations.ports import Tree, ports
from sessions_app.customizations.sources import Workspace

logger = logging.getLogger(__name__)


class Watching:
    """The watched trees of one session; `changed` is called in the event loop."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self._trees: dict[str, Tree] = {}
        self._loop = asyncio.get_running_loop()
        self._taking: set[asyncio.Task[None]] = set()

    async def watch(self, workspaces: Sequence[Workspace]) -> None:
        """Watch these and no others; one that cannot be watched is read again when its session says something."""
        wanted = {each.uri(): each for each in workspaces}
        for uri in self._trees.keys() - wanted.keys():
            await asyncio.to_thread(self._trees.pop(uri).close)
        for uri, each in wanted.items():
            if uri not in self._trees:
                await self._arm(uri, each)

    async def close(self) -> None:
        """Watch no longer."""
        for tree in self._trees.values():
            await asyncio.to_thread(tree.close)
        self._trees.clear()

    async def _arm(self, uri: str, workspace: Workspace) -> None:
        tree = ports().watcher(workspace.fence, workspace.place, concerns, lambda: self._woken(uri))
        try:
            await asyncio.to_thread(tree.arm)
        except (OSError, ValueError) as error:
            logger.info("a working directory is not watched: %s", error)
            await asyncio.to_thread(tree.close)
            return
        self._trees[uri] = tree

    def _woken(self, uri: str) -> None:
        """In any thread."""
        self._loop.call_soon_threadsafe(self._take_soon, uri)

    def _take_soon(self, uri: str) -> None:
        if not self._taking:
            task = self._loop.create_task(self._take(uri))
            self._taking.add(task)
            task.add_done_callback(self._taking.discard)

    async def _take(self, uri: str) -> None:
        # Taking makes the tree watch the directories that are new in it.
        for tree in tuple(self._trees.values()):
            await asyncio.to_thread(tree.take)
        self._changed()


def concerns(names: Names) -> bool:
    """Whether what is there could be a customization."""
    return names[0] in WATCHED
