"""Does anything get out, or in, while names are swapped for links under the hands of those who work? CASES.md 30."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ahp_platform.workspaces import reading, trees
from ahp_platform.workspaces.fence import Fence
from changesets_app.watches.inotify import Inotify
from changesets_app.watches.tree import Place, WatchedTree
from tests.files.test_fence import content, put, spots

SWAPS = 10_000

Work = Callable[[Fence], object]

# `d` is now the directory that holds `secret`, now a link to outside, where there is another `secret`.
THROUGH: dict[str, Work] = {
    "read": lambda fence: content(fence, "d", "secret"),
    "list": lambda fence: reading.entries(fence, ["d"]),
    "resolve": lambda fence: reading.find(fence, ["d", "secret"], follow=True),
    "write": lambda fence: put(fence, "d", "written"),
    "mkdir": lambda fence: trees.mkdir(fence, ["d", "made"]),
    "copy": lambda fence: trees.copy(*spots(fence, ["d", "secret"], ["got"]), new=False),
    "copy-tree": lambda fence: trees.copy(*spots(fence, ["d"], ["got"]), new=False),
    "copy-into": lambda fence: trees.copy(*spots(fence, ["mine"], ["d", "written"]), new=False),
    "move": lambda fence: trees.move(*spots(fence, ["d", "secret"], ["got"]), new=False),
    "move-into": lambda fence: move_into(fence, "d", "written"),
    "delete": lambda fence: trees.delete(fence, ["d", "secret"], recursive=True),
    "delete-tree": lambda fence: trees.delete(fence, ["d"], recursive=True),
}
# `d` itself is now a file, now a link to the secret outside.
ITSELF: dict[str, Work] = {
    "read": lambda fence: content(fence, "d"),
    "resolve": lambda fence: reading.find(fence, ["d"], follow=True),
    "write": lambda fence: put(fence, "d"),
    "copy": lambda fence: trees.copy(*spots(fence, ["d"], ["got"]), new=False),
    "copy-over": lambda fence: trees.copy(*spots(fence, ["mine"], ["d"]), new=False),
    "move-over": lambda fence: move_into(fence, "d"),
    "delete": lambda fence: trees.delete(fence, ["d"], recursive=True),
}


def move_into(fence: Fence, *target: str) -> None:
    (fence.root / "moving").touch()
    trees.move(*spots(fence, ["moving"], target), new=False)


def test_a_directory_that_is_swapped_for_a_link_leads_nowhere(fence: Fence, outside: Path) -> None:
    (fence.root / "link").symlink_to(outside)
    (fence.root / "mine").touch()
    with swapped(fence.root, Path.mkdir) as going_on:
        for number in going_on:
            name = list(THROUGH)[number % len(THROUGH)]
            with suppress(OSError):
                (fence.root / "real/secret").touch()
                assert THROUGH[name](fence) != b"untouched", name
            assert leaked(fence.root / "got") is False, name
    assert [path.name for path in outside.iterdir()] == ["secret"]
    assert (outside / "secret").read_text() == "untouched"


def test_a_file_that_is_swapped_for_a_link_leads_nowhere(fence: Fence, outside: Path) -> None:
    (fence.root / "link").symlink_to(outside / "secret")
    (fence.root / "mine").touch()
    with swapped(fence.root, Path.touch) as going_on:
        for number in going_on:
            name = list(ITSELF)[number % len(ITSELF)]
            with suppress(OSError):
                assert ITSELF[name](fence) != b"untouched", name
            assert leaked(fence.root / "got") is False, name
    assert [path.name for path in outside.iterdir()] == ["secret"]
    assert (outside / "secret").read_text() == "untouched"


def test_a_watch_hears_of_nothing_behind_a_link_that_comes_and_goes(fence: Fence, outside: Path) -> None:
    (fence.root / "link").symlink_to(outside)
    queue = Inotify()
    tree = WatchedTree(queue, Place(fence, ()), True, lambda _: True, lambda: None)
    tree.arm()
    heard: set[str] = set()
    with swapped(fence.root, Path.mkdir) as going_on:
        for number in going_on:
            (outside / f"noise{number}").touch()
            (outside / f"noise{number}").unlink()
            heard |= {names[-1] for names in tree.take().items if names}
    tree.close()
    queue.close()
    assert "d" in heard
    assert heard <= {"d", "real", "link"}


@contextmanager
def swapped(root: Path, make: Callable[[Path], None]) -> Iterator[Iterator[int]]:
    """Something made as `d` changes places with `link` again and again; counts as long as that goes on."""
    make(root / "d")
    done = threading.Event()
    swapping = threading.Thread(target=swap, args=(root, make, done))
    swapping.start()
    numbers = itertools.count()
    try:
        yield iter(lambda: next(numbers) if not done.is_set() else -1, -1)
    finally:
        swapping.join()


def swap(root: Path, make: Callable[[Path], None], done: threading.Event) -> None:
    for _ in range(SWAPS // 2):
        for aside, here in (("real", "link"), ("link", "real")):
            with suppress(OSError):
                (root / "d").rename(root / aside)
            with suppress(OSError):
                (root / here).rename(root / "d")
        if not (root / "d").exists() and not (root / "real").exists():
            with suppress(OSError):
                make(root / "d")
    done.set()


def leaked(got: Path) -> bool:
    inside = got / "secret" if got.is_dir() and not got.is_symlink() else got
    with suppress(OSError):
        return not inside.is_symlink() and inside.read_text() == "untouched"
    return False
