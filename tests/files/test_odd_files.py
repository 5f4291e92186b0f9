"""What becomes of files that are none, that may not be read, or that do not fit on the disk? The right answer at once."""

from __future__ import annotations

import errno
import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ahp_platform.workspaces import reading, trees
from ahp_platform.workspaces.fence import Fence, NotAFile
from tests.files.conftest import Desk
from tests.files.test_fence import content, put, spots

DENIED, FULL = -32009, -32603
NOBODY = 65534
SMALL_DISK_BYTES = 256 * 1024


@pytest.mark.parametrize("kind", ["fifo", "socket"])
def test_a_directory_with_something_odd_in_it_is_listed_and_deleted_but_not_copied(
    fence: Fence, root: Path, kind: str
) -> None:
    (root / "d/inner").mkdir(parents=True)
    (root / "d/f").write_text("f")
    if kind == "fifo":
        os.mkfifo(root / "d/inner/odd")
    else:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(root / "d/inner/odd"))
    assert reading.entries(fence, ["d", "inner"])[1] == [("odd", "file")]
    with pytest.raises(NotAFile):
        trees.copy(*spots(fence, ["d"], ["copy"]), new=True)
    assert sorted(path.name for path in root.iterdir()) == ["d"]
    trees.move(*spots(fence, ["d"], ["moved"]), new=True)
    trees.delete(fence, ["moved"], recursive=True)
    assert list(root.iterdir()) == []


@pytest.fixture
def nobodys() -> Iterator[Fence]:
    """A fence around a directory where `closed` and `closed.txt` may not be read by whoever runs the test."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    (folder / "root/closed/inner").mkdir(parents=True)
    (folder / "root/closed.txt").write_text("secret")
    (folder / "locks").mkdir()
    for path in (folder / "root/closed", folder / "root/closed.txt"):
        path.chmod(0)
    user = os.geteuid()
    if user == 0:
        os.chown(folder / "root", NOBODY, NOBODY)
        os.chown(folder / "locks", NOBODY, NOBODY)
        os.seteuid(NOBODY)
    yield Fence(folder / "root", folder / "locks")
    os.seteuid(user)
    (folder / "root/closed").chmod(0o700)
    shutil.rmtree(folder)


def test_what_may_not_be_read_is_listed_and_refused_at_once(nobodys: Fence) -> None:
    assert reading.entries(nobodys, [])[1] == [("closed", "directory"), ("closed.txt", "file")]
    attempts: tuple[Callable[[], object], ...] = (
        lambda: content(nobodys, "closed.txt"),
        lambda: reading.entries(nobodys, ["closed"]),
        lambda: reading.find(nobodys, ["closed", "inner"], follow=True),
        lambda: put(nobodys, "closed", "new"),
        lambda: trees.copy(*spots(nobodys, ["closed"], ["copy"]), new=True),
        lambda: trees.mkdir(nobodys, ["closed", "new"]),
        lambda: trees.delete(nobodys, ["closed"], recursive=True),
    )
    for work in attempts:
        with pytest.raises(PermissionError) as refused:
            work()
        assert refused.value.errno == errno.EACCES
    assert reading.find(nobodys, ["closed.txt"], follow=True).kind == "file"
    assert [name for name, _ in reading.entries(nobodys, [])[1]] == ["closed", "closed.txt"]


@pytest.fixture
def small_disk(desk: Desk) -> Iterator[Path]:
    """A file system of a quarter of a megabyte, mounted in the desk's folder as `disk`."""
    place = desk.path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SMALL_DISK_BYTES}", "tmpfs", str(place)]
    done = subprocess.run(mount, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"THE FULL DISK WAS NOT TRIED: mounting is not permitted here ({done.stderr.strip()})")
    yield place
    subprocess.run(["umount", str(place)], check=True)


async def test_a_full_disk_is_told_and_nothing_is_half_written(desk: Desk, small_disk: Path) -> None:
    too_much = "x" * 2 * SMALL_DISK_BYTES
    await desk.write("disk/f", "old")
    await desk.call("resourceMkdir", "tree")
    for name in ("a", "b"):
        await desk.write(f"tree/{name}", too_much[: SMALL_DISK_BYTES * 3 // 4])
    for name, mode in (("f", "truncate"), ("f", "append"), ("f", "insert"), ("new", "truncate")):
        how = {"data": too_much, "encoding": "utf-8", "mode": mode, "createOnly": name == "new"}
        refusal = await desk.refused("resourceWrite", f"disk/{name}", **how)
        assert (refusal.code, "full" in str(refusal)) == (FULL, True)
    copied = {"source": f"{desk.uri}/tree", "destination": f"{desk.uri}/disk/tree"}
    assert (await desk.client.refused("resourceCopy", copied)).code == FULL
    assert there(small_disk) == ["f"]
    assert (small_disk / "f").read_text() == "old"
    await desk.write("disk/f", "new")
    assert (await desk.read("disk/f"))["data"] == "new"


def there(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]
