"""Do bytes get into files whole, in the right place, and without anybody's change being lost?"""

from __future__ import annotations

import errno
import multiprocessing
import resource
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ahp_platform.workspaces import reading, trees, writing
from ahp_platform.workspaces.fence import Fence
from ahp_platform.workspaces.writing import BadPosition, Change, Changed

WRITERS, WRITES = 4, 50
FORK = multiprocessing.get_context("fork")


def tag(fence: Fence, *names: str) -> str:
    return reading.etag(reading.find(fence, names, follow=True).status)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=40)
@given(
    old=st.binary(max_size=50),
    data=st.binary(max_size=50),
    position=st.integers(0, 60),
    mode=st.sampled_from(["truncate", "append", "insert"]),
)
def test_every_mode_puts_the_bytes_where_it_says(
    fence: Fence, old: bytes, data: bytes, position: int, mode: Literal["truncate", "append", "insert"]
) -> None:
    place = fence.root / "f"
    place.write_bytes(old)
    change = Change(data, mode, position)
    if position > len(old):
        with pytest.raises(BadPosition):
            writing.write(fence, ["f"], change)
        assert place.read_bytes() == old
        return
    writing.write(fence, ["f"], change)
    at = len(old) - position if mode == "append" else position
    assert place.read_bytes() == old[:at] + data + (b"" if mode == "truncate" else old[at:])
    assert [path.name for path in fence.root.iterdir()] == ["f"]


@pytest.mark.parametrize("mode", ["truncate", "append", "insert"])
def test_a_file_that_is_not_there_is_made(
    fence: Fence, root: Path, mode: Literal["truncate", "append", "insert"]
) -> None:
    writing.write(fence, ["f"], Change(b"x", mode))
    assert (root / "f").read_bytes() == b"x"


def test_permissions_stay_as_they_are(fence: Fence, root: Path) -> None:
    (root / "f").touch(0o750)
    writing.write(fence, ["f"], Change(b"x"))
    trees.copy(trees.Spot(fence, ["f"]), trees.Spot(fence, ["copy"]), new=True)
    assert [(root / name).stat().st_mode & 0o777 for name in ("f", "copy")] == [0o750, 0o750]


@pytest.mark.parametrize("there", ["file", "directory", "link", "dangling"])
def test_what_is_only_created_replaces_nothing(fence: Fence, root: Path, there: str) -> None:
    (root / "other").write_text("other")
    if there == "file":
        (root / "f").write_text("old")
    elif there == "directory":
        (root / "f").mkdir()
    else:
        (root / "f").symlink_to("other" if there == "link" else "missing")
    with pytest.raises(FileExistsError):
        writing.write(fence, ["f"], Change(b"x", create_only=True))
    assert (root / "other").read_text() == "other"
    assert sorted(path.name for path in root.iterdir()) == ["f", "other"]


def test_a_version_that_is_gone_is_a_conflict(fence: Fence, root: Path) -> None:
    writing.write(fence, ["f"], Change(b"one"))
    seen = tag(fence, "f")
    writing.write(fence, ["f"], Change(b"two", if_match=seen))
    for stale in (seen, "", "nonsense"):
        with pytest.raises(Changed):
            writing.write(fence, ["f"], Change(b"six", if_match=stale))
    with pytest.raises(Changed):
        writing.write(fence, ["missing"], Change(b"x", if_match=seen))
    assert (root / "f").read_bytes() == b"two"


def test_versions_of_equal_size_written_at_once_differ(fence: Fence) -> None:
    seen = set()
    for turn in range(200):
        writing.write(fence, ["f"], Change(b"%03d" % turn))
        seen.add(tag(fence, "f"))
    assert len(seen) == 200


def test_of_writers_in_many_processes_who_saw_one_version_one_wins(fence: Fence, root: Path) -> None:
    """Each counts up from what it read, so that a lost change shows in the sum."""
    (root / "count").write_text("0")
    run_together(count_up, fence)
    assert (root / "count").read_text() == str(WRITERS * WRITES)


def count_up(fence: Fence) -> None:
    done = 0
    while done < WRITES:
        seen = tag(fence, "count")
        number = int(b"".join(reading.chunks(fence, ["count"], 100)))
        with suppress(Changed):
            writing.write(fence, ["count"], Change(b"%d" % (number + 1), if_match=seen))
            done += 1


def test_appends_of_many_processes_and_of_a_shell_all_arrive(fence: Fence, root: Path) -> None:
    (root / "log").touch()
    line = "shell" * 20
    with subprocess.Popen(["sh", "-c", f'for i in $(seq {WRITES}); do echo "{line}" >> log; done'], cwd=root) as shell:
        run_together(append_lines, fence)
    assert shell.returncode == 0
    lines = (root / "log").read_text().splitlines()
    assert sorted(set(lines)) == sorted({"ours" * 1000, line})
    assert len(lines) == (WRITERS + 1) * WRITES


def append_lines(fence: Fence) -> None:
    for _ in range(WRITES):
        writing.write(fence, ["log"], Change(b"ours" * 1000 + b"\n", "append"))


def run_together(work: Callable[[Fence], None], fence: Fence) -> None:
    processes = [FORK.Process(target=work, args=(fence,)) for _ in range(WRITERS)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0] * WRITERS


def test_readers_see_one_version_or_the_other(fence: Fence) -> None:
    versions = [bytes([sign]) * 300_000 for sign in b"ab"]
    writing.write(fence, ["f"], Change(versions[0]))
    done = threading.Event()

    def read() -> set[bytes]:
        seen = set()
        while not done.is_set():
            seen.add(b"".join(reading.chunks(fence, ["f"], 1_000_000)))
        return seen

    with ThreadPoolExecutor(1) as pool:
        reader = pool.submit(read)
        for turn in range(100):
            writing.write(fence, ["f"], Change(versions[turn % 2]))
        done.set()
        assert reader.result() <= set(versions)


@contextmanager
def full_disk(size: int) -> Iterator[None]:
    """What the kernel says of a file that would grow beyond `size` bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)


@pytest.mark.parametrize("mode", ["truncate", "append", "insert"])
def test_a_full_disk_loses_nothing(fence: Fence, root: Path, mode: Literal["truncate", "append", "insert"]) -> None:
    (root / "f").write_bytes(b"precious" * 1000)
    with full_disk(10_000), pytest.raises(OSError) as failure:
        writing.write(fence, ["f"], Change(b"x" * 20_000, mode))
    assert failure.value.errno == errno.EFBIG
    assert (root / "f").read_bytes() == b"precious" * 1000
    assert [path.name for path in root.iterdir()] == ["f"]
