"""Which files are below a directory, also when there are too many to be looked through while somebody waits?

A walk that could not be finished in time is done behind the answer's back, and what it found is kept for a few seconds:
the next keystroke finds what the first one did not. Kept for callers who see the very same, and for no others.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Hashable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from itertools import islice

from ahp_platform.workspaces.fence import Fence
from ahp_platform.workspaces.paths import Names
from ahp_platform.workspaces.replacing import is_passing

# What programs put beside what people wrote; entered only by who names it.
PASSED_OVER = frozenset({".git", ".hg", ".svn", ".venv", "__pycache__", "node_modules", "target", "dist", "build"})

# How long a walk behind the answer's back may take, how much it may find, and how long that is kept.
WALK_S, MAX_FILES, KEPT_S = 10.0, 300_000, 15.0

_OPEN = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def walk(fence: Fence, root: Names, wanted: str, deadline: float) -> Iterator[Names]:
    """The files below the root, level by level, until time is up."""
    todo: deque[Names] = deque([()])
    while todo and time.monotonic() < deadline:
        inside = todo.popleft()
        with suppress(OSError), fence.opened((*root, *inside), _OPEN) as directory, os.scandir(directory.fd) as found:
            for each in found:
                if time.monotonic() > deadline:
                    return
                if each.is_dir(follow_symlinks=False):
                    if each.name not in PASSED_OVER or each.name in wanted:
                        todo.append((*inside, each.name))
                elif not is_passing(each.name):
                    yield (*inside, each.name)


class Index:
    """The files below one directory, as one caller sees them."""

    def __init__(self, fence: Fence, root: Names) -> None:
        found = walk(fence, root, "", time.monotonic() + WALK_S)
        self._paths = ["/".join(names) for names in islice(found, MAX_FILES)]
        self._folded = [path.casefold() for path in self._paths]

    def matching(self, wanted: str) -> Iterator[Names]:
        """Those whose path holds what is wanted, in whichever case."""
        folded = wanted.casefold()
        for path, each in zip(self._paths, self._folded, strict=True):
            if folded in each:
                yield tuple(path.split("/"))


class Indices:
    """The indices of this process. May be used from any thread."""

    def __init__(self) -> None:
        self._kept: dict[Hashable, Future[Index]] = {}
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="index")

    def files(self, fence: Fence, root: Names, wanted: str, deadline: float) -> Iterator[Names]:
        """The files below the root that may be wanted, as far as they are known or found in time."""
        kept = self._kept.get((fence.view, root))
        if kept is not None and kept.done() and not any(name in wanted for name in PASSED_OVER):
            yield from kept.result().matching(wanted)
            return
        yield from walk(fence, root, wanted, deadline)
        if kept is None and time.monotonic() > deadline:
            self.keep(fence, root)

    def keep(self, fence: Fence, root: Names) -> Future[Index]:
        """Walk through it all, and remember for a while what was found."""
        key = fence.view, root
        future = self._kept[key] = self._pool.submit(Index, fence, root)
        forgetting = threading.Timer(WALK_S + KEPT_S, self._kept.pop, (key, None))
        forgetting.daemon = True
        forgetting.start()
        return future


indices = Indices()
