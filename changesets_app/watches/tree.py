"""What has changed in a directory tree since it was last looked at?

Every directory is watched on its own, found by a walk that follows no link; excluded ones are not even entered. What
was in a directory is remembered, so that a file that was replaced is told from a new one. Synchronous: runs in a
thread. Source: PROTOCOL.md section 12 (`createResourceWatch`).
"""

from __future__ import annotations

import errno
import os
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from ahp_platform.workspaces.fence import Fence
from ahp_platform.workspaces.paths import LeadsOut, Names
from ahp_platform.workspaces.replacing import is_passing
from changesets_app.watches import inotify
from changesets_app.watches.inotify import Event, Inotify, TooMuch

ADDED, UPDATED, DELETED = "added", "updated", "deleted"

MAX_DIRECTORIES = 20_000
# Beyond this the watcher is only told to look again: reading so much news takes longer than looking.
MAX_CHANGES = 5_000
MAX_EVENTS = 50_000

_OPEN = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(slots=True)
class Changes:
    """What happened to which path, relative to the root; `overflowed`: and to others that are not known."""

    items: dict[Names, str] = field(default_factory=dict)
    overflowed: bool = False

    def add(self, names: Names, kind: str) -> None:
        """Another change; of several to one path, what they come to."""
        if len(self.items) >= MAX_CHANGES:
            self.overflowed = True
            return
        before = self.items.pop(names, None)
        # Not even what came and went is left out: somebody may have listed the directory in between.
        if before == ADDED and kind != DELETED:
            kind = ADDED
        elif (before, kind) == (DELETED, ADDED):
            kind = UPDATED
        self.items[names] = kind


@dataclass(slots=True)
class _Directory:
    names: Names
    entries: set[str]


@dataclass(frozen=True, slots=True)
class Place:
    """A directory by its real names, and the fence around those who watch it."""

    fence: Fence
    names: Names


class WatchedTree:
    """The directory `root` and, if `recursive`, what is below. `wanted` says which paths are entered and reported,
    `woken` is called in any thread when there is something to take.
    """

    def __init__(
        self, queue: Inotify, place: Place, recursive: bool, wanted: Callable[[Names], bool], woken: Callable[[], None]
    ) -> None:
        self._queue, self._place, self._recursive = queue, place, recursive
        self._wanted, self._woken = wanted, woken
        self._watched: dict[int, _Directory] = {}
        self._events: deque[Event] = deque(maxlen=MAX_EVENTS)
        # One thread at a time arms, takes or closes.
        self._busy = threading.Lock()
        self._closed = False

    def push(self, event: Event) -> None:
        """Called by the queue."""
        self._events.append(event)
        self._woken()

    def arm(self) -> None:
        """From now on changes are noticed; raises `OSError` where the tree is not there or too big."""
        with self._busy:
            self._enter((), Changes(), announce=False)
        if not self._watched:
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))

    def take(self) -> Changes:
        """What has happened since the last time."""
        changes = Changes()
        self._queue.pump()
        with self._busy:
            # A full queue has lost its beginning.
            changes.overflowed = len(self._events) == MAX_EVENTS
            while self._events and not changes.overflowed and not self._closed:
                self._take(self._events.popleft(), changes)
            if changes.overflowed and not self._closed:
                self._start_over(changes)
        return changes

    def close(self) -> None:
        """Watch no longer."""
        with self._busy:
            self._closed = True
            for watched in self._watched:
                self._queue.remove(watched, self)

    def _start_over(self, changes: Changes) -> None:
        self._events.clear()  # it is older than what we are going to see
        changes.items = {(): UPDATED}
        with suppress(OSError, TooMuch):
            self._enter((), Changes(), announce=False)

    def _take(self, event: Event, changes: Changes) -> None:
        if event.mask & inotify.OVERFLOW:
            changes.overflowed = True
        if event.mask & inotify.IGNORED:
            self._watched.pop(event.watched, None)
        directory = self._watched.get(event.watched)
        if directory is None:
            return
        if not event.name:
            if not directory.names and event.mask & (inotify.DELETE_SELF | inotify.MOVE_SELF):
                changes.add((), DELETED)
            return
        names = (*directory.names, event.name)
        if not is_passing(event.name) and self._wanted(names):
            self._changed(event, directory, names, changes)

    def _changed(self, event: Event, directory: _Directory, names: Names, changes: Changes) -> None:
        is_directory = bool(event.mask & inotify.IS_DIRECTORY)
        if event.mask & (inotify.DELETE | inotify.MOVED_FROM):
            directory.entries.discard(event.name)
            changes.add(names, DELETED)
            if is_directory:
                self._leave(names, changes)
        elif event.mask & (inotify.CREATE | inotify.MOVED_TO):
            changes.add(names, UPDATED if event.name in directory.entries else ADDED)
            directory.entries.add(event.name)
            if is_directory and self._recursive:
                try:
                    self._enter(names, changes, announce=True)
                except (OSError, TooMuch):
                    changes.overflowed = True
        elif not is_directory:
            changes.add(names, UPDATED)

    def _leave(self, names: Names, changes: Changes) -> None:
        """A directory is gone, or has another name: so is what was in it."""
        for watched, directory in list(self._watched.items()):
            if directory.names[: len(names)] == names:
                for name in directory.entries:
                    changes.add((*directory.names, name), DELETED)
                del self._watched[watched]
                self._queue.remove(watched, self)

    def _enter(self, names: Names, changes: Changes, *, announce: bool) -> None:
        todo = [names]
        while todo:
            todo += self._watch(todo.pop(), changes, announce)

    def _watch(self, names: Names, changes: Changes, announce: bool) -> list[Names]:
        """Watch one directory; the directories in it that are to be watched, too."""
        below: list[Names] = []
        place = (*self._place.names, *names)
        with (
            suppress(FileNotFoundError, NotADirectoryError, LeadsOut),
            self._place.fence.opened(place, _OPEN) as opened,
        ):
            if opened.names != place:
                return []  # a link has come in between
            if len(self._watched) >= MAX_DIRECTORIES:
                raise TooMuch
            # Watch first, look afterwards: what comes while we look is seen twice rather than never.
            entries: set[str] = set()
            self._watched[self._queue.add(opened.fd, self)] = _Directory(names, entries)
            with os.scandir(opened.fd) as found:
                for each in found:
                    inside = (*names, each.name)
                    if is_passing(each.name) or not self._wanted(inside):
                        continue
                    entries.add(each.name)
                    if announce:
                        changes.add(inside, ADDED)
                    if self._recursive and each.is_dir(follow_symlinks=False):
                        below.append(inside)
        return below
