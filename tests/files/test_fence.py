"""Does nothing lead out of a tenant's directory, and does everything that stays inside work?"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from ahp_platform.workspaces import reading, trees, writing
from ahp_platform.workspaces.fence import Fence, Fixed, NotAFile
from ahp_platform.workspaces.granted import GrantedFence
from ahp_platform.workspaces.paths import LeadsOut
from ahp_platform.workspaces.trees import Spot

Work = Callable[[Fence], object]


def content(fence: Fence, *names: str) -> bytes:
    return b"".join(reading.chunks(fence, names, 1_000_000))


def spots(fence: Fence, source: Sequence[str], destination: Sequence[str]) -> tuple[Spot, Spot]:
    return Spot(fence, source), Spot(fence, destination)


def put(fence: Fence, *names: str) -> None:
    writing.write(fence, names, writing.Change(b"x"))


@pytest.mark.parametrize("target", ["d/f", "./d/../d/f", "hop", "{root}/d/f"])
def test_links_that_stay_inside_are_followed(fence: Fence, root: Path, target: str) -> None:
    (root / "d").mkdir()
    (root / "d/f").write_text("here")
    (root / "hop").symlink_to(root / "d/f")
    (root / "link").symlink_to(target.format(root=root))
    assert content(fence, "link") == b"here"
    put(fence, "link")
    assert (root / "link").is_symlink()
    assert (root / "d/f").read_text() == "x"
    assert reading.find(fence, ["link"], follow=True).names == ("d", "f")
    assert reading.find(fence, ["link"], follow=False).kind == "symlink"


@pytest.mark.parametrize("target", ["{out}", "../outside", "d/../../outside", "/etc", "{root}/../outside", "/nowhere"])
def test_links_that_lead_out_are_refused_whatever_is_there(
    fence: Fence, root: Path, outside: Path, target: str
) -> None:
    (root / "d").mkdir()
    (root / "link").symlink_to(target.format(root=root, out=outside))
    for work in works("link", "secret"):
        with pytest.raises(LeadsOut):
            work(fence)
    assert [path.name for path in outside.iterdir()] == ["secret"]
    assert (outside / "secret").read_text() == "untouched"


def works(*names: str) -> Iterator[Work]:
    """Everything that can be done to a place."""
    yield lambda fence: content(fence, *names)
    yield lambda fence: reading.entries(fence, names)
    yield lambda fence: reading.find(fence, names, follow=True)
    yield lambda fence: reading.find(fence, (*names, "x"), follow=False)
    yield lambda fence: put(fence, *names)
    yield lambda fence: put(fence, *names, "x")
    yield lambda fence: trees.mkdir(fence, (*names, "x"))
    yield lambda fence: trees.copy(*spots(fence, names, ("copy",)), new=False)
    yield lambda fence: trees.copy(*spots(fence, ("d",), (*names, "x")), new=False)
    yield lambda fence: trees.move(*spots(fence, (*names, "x"), ("moved",)), new=False)
    yield lambda fence: trees.move(*spots(fence, ("d",), (*names, "x")), new=False)
    yield lambda fence: trees.delete(fence, (*names, "x"), recursive=True)


def test_deleting_removes_links_and_never_what_they_name(fence: Fence, root: Path, outside: Path) -> None:
    (root / "d/deep").mkdir(parents=True)
    for name in ("link", "d/link", "d/deep/link"):
        (root / name).symlink_to(outside)
    trees.delete(fence, ["link"], recursive=True)
    trees.delete(fence, ["d"], recursive=True)
    assert list(root.iterdir()) == []
    assert (outside / "secret").read_text() == "untouched"


def test_a_move_and_a_copy_keep_links_as_they_are(fence: Fence, root: Path, outside: Path) -> None:
    (root / "d").mkdir()
    (root / "d/link").symlink_to(outside / "secret")
    trees.copy(*spots(fence, ["d"], ["copy"]), new=True)
    trees.move(*spots(fence, ["d", "link"], ["moved"]), new=True)
    assert (root / "copy/link").readlink() == (root / "moved").readlink() == outside / "secret"
    trees.move(*spots(fence, ["moved"], ["copy", "link"]), new=False)
    assert (outside / "secret").read_text() == "untouched"


def test_a_link_that_leads_nowhere_or_in_a_circle_is_missing(fence: Fence, root: Path) -> None:
    (root / "nowhere").symlink_to("missing")
    (root / "circle").symlink_to("circle")
    with pytest.raises(FileNotFoundError):
        content(fence, "nowhere")
    with pytest.raises(OSError, match="symbolic links"):
        content(fence, "circle")
    with pytest.raises(OSError, match="symbolic links"):
        put(fence, "circle")


@pytest.mark.parametrize("way", ["d/up", "d/beside", "d/absolute", "d/out", "d/hop/x", "beside", "d/../beside"])
def test_a_granted_place_is_left_by_no_way(fence: Fence, root: Path, outside: Path, way: str) -> None:
    (root / "d").mkdir()
    (root / "beside").mkdir()
    (root / "beside/secret").write_text("untouched")
    links: dict[str, str | Path] = {"up": "..", "beside": "../beside", "absolute": root / "beside"}
    links |= {"out": outside, "hop": "../beside/missing"}
    for name, target in links.items():
        (root / "d" / name).symlink_to(target)
    mine = GrantedFence(root, ("d",))
    for work in works(*way.split("/")):
        with pytest.raises(LeadsOut):
            work(mine)
    assert sorted(path.name for path in (root / "d").iterdir()) == sorted(links)
    assert [path.name for path in (root / "beside").iterdir()] == ["secret"]
    assert (outside / "secret").read_text() == "untouched"


def test_a_link_on_the_way_to_a_granted_place_leads_nowhere(fence: Fence, root: Path) -> None:
    (root / "real/d").mkdir(parents=True)
    (root / "real/d/f").write_text("here")
    (root / "way").symlink_to("real")
    assert content(GrantedFence(root, ("real", "d")), "real", "d", "f") == b"here"
    for work in works("way", "d", "f"):
        with pytest.raises(LeadsOut):
            work(GrantedFence(root, ("way", "d")))


def test_a_granted_file_is_all_that_is_granted(fence: Fence, root: Path) -> None:
    (root / "d").mkdir()
    for name in ("f", "g"):
        (root / "d" / name).write_text(name)
    mine = GrantedFence(root, ("d", "f"))
    put(mine, "d", "f")
    assert content(mine, "d", "f") == b"x"
    for names in (("d", "g"), ("d",), (), ("d", "new")):
        for work in works(*names):
            with pytest.raises((LeadsOut, Fixed)):
                work(mine)
    assert sorted(path.name for path in (root / "d").iterdir()) == ["f", "g"]


@pytest.mark.parametrize("kind", ["fifo", "socket", "device"])
def test_what_is_neither_file_nor_directory_is_refused_at_once(fence: Fence, root: Path, kind: str) -> None:
    place = root / "odd"
    with listening(place) if kind == "socket" else made(place, kind):
        for work in (
            lambda: content(fence, "odd"),
            lambda: put(fence, "odd"),
            lambda: reading.find(fence, ["odd"], follow=True),
            lambda: trees.copy(*spots(fence, ["odd"], ["copy"]), new=False),
        ):
            with pytest.raises(NotAFile):
                work()
        assert reading.entries(fence, [])[1] == [("odd", "file")]
        trees.delete(fence, ["odd"], recursive=False)


@contextmanager
def made(place: Path, kind: str) -> Iterator[None]:
    try:
        os.mkfifo(place) if kind == "fifo" else os.mknod(place, 0o600 | 0o020000, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("only root makes devices")
    yield


@contextmanager
def listening(place: Path) -> Iterator[None]:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(place))
        yield


def test_another_sessions_own_directory_is_not_there(root: Path, fence: Fence) -> None:
    for name in ("mine", "theirs"):
        (root / "sessions" / name).mkdir(parents=True)
        (root / "sessions" / name / "f").write_text(name)
    (root / "d").mkdir()
    (root / "way-in").symlink_to("sessions/theirs/f")
    (root / "no-way-in").symlink_to("sessions/theirs/missing")
    mine = Fence(root, fence.locks, ["mine"])
    assert content(mine, "sessions", "mine", "f") == b"mine"
    places = (
        ["sessions", "theirs", "f"],
        ["sessions", "theirs"],
        ["sessions", "theirs", "missing"],
        ["sessions", "nobodys"],
        ["way-in"],
        ["no-way-in"],
    )
    for names in places:
        for work in works(*names):
            with pytest.raises(LeadsOut):
                work(mine)
    assert (root / "sessions/theirs/f").read_text() == "theirs"


@pytest.mark.parametrize("names", [(), ("sessions",), ("worktrees",), ("sessions", "mine")])
def test_the_layout_of_a_tenants_directory_is_fixed(root: Path, fence: Fence, names: tuple[str, ...]) -> None:
    (root / "sessions/mine").mkdir(parents=True)
    (root / "f").write_text("f")
    mine = Fence(root, fence.locks, ["mine"])
    attempts: tuple[Callable[[], object], ...] = (
        lambda: put(mine, *names),
        lambda: trees.delete(mine, names, recursive=True),
        lambda: trees.move(*spots(mine, names, ("moved",)), new=False),
        lambda: trees.move(*spots(mine, ("f",), names), new=False),
        lambda: trees.copy(*spots(mine, ("f",), names), new=False),
    )
    for work in attempts:
        with pytest.raises(Fixed):
            work()
