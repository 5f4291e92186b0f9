"""Does a tool write inside its working directory, and nowhere else?"""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from ahp_platform.agents.workspace_write import MAX_COMPARED_BYTES, write_text


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root" / "work").mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    return tmp_path / "root"


def uri(path: Path) -> str:
    return path.as_uri()


def test_a_file_is_written_with_the_directories_it_needs(root: Path) -> None:
    edit = write_text(root, uri(root / "work"), "a/b/näme .txt", "one\ntwo\n")
    written = root / "work/a/b/näme .txt"
    assert written.read_text() == "one\ntwo\n"
    assert edit == {
        "after": {"uri": written.as_uri(), "content": {"uri": written.as_uri(), "sizeHint": 8}},
        "diff": {"added": 2, "removed": 0},
    }
    assert [path.name for path in written.parent.iterdir()] == ["näme .txt"]


def test_an_edit_counts_what_it_adds_and_removes(root: Path) -> None:
    (root / "work/x").write_text("a\nb\nc\n")
    assert write_text(root, uri(root / "work"), "x", "a\nB\nc\nd\n")["diff"] == {"added": 2, "removed": 1}


def test_a_big_file_is_replaced_without_counting(root: Path) -> None:
    (root / "work/x").write_text("a" * (MAX_COMPARED_BYTES + 1))
    assert "diff" not in write_text(root, uri(root / "work"), "x", "a")
    assert (root / "work/x").read_text() == "a"


@pytest.mark.parametrize("path", ["../x", "a/../../x", "/etc/x", "", ".", "a\0b"])
def test_a_path_that_leads_out_or_nowhere_is_refused(root: Path, path: str) -> None:
    with pytest.raises(OSError):
        write_text(root, uri(root / "work"), path, "x")
    assert list(root.rglob("x")) == []


@pytest.mark.parametrize(
    "directory", ["{outside}", "{root}/work/../../outside", "http://x/{root}", "{root}/%2e%2e/outside"]
)
def test_a_working_directory_outside_of_the_tenants_is_refused(root: Path, directory: str) -> None:
    outside = root.parent / "outside"
    named = directory.format(root=uri(root), outside=uri(outside))
    with pytest.raises(PermissionError):
        write_text(root, named, "x", "x")
    assert list(outside.iterdir()) == []


def test_links_are_not_followed_wherever_they_stand(root: Path) -> None:
    outside = root.parent / "outside"
    (outside / "target").write_text("untouched")
    (root / "work/dir").symlink_to(outside)
    (root / "work/file").symlink_to(outside / "target")
    (root / "linked").symlink_to(outside)
    for directory, path in (("work", "dir/x"), ("work", "file"), ("linked", "x")):
        with pytest.raises(PermissionError):
            write_text(root, uri(root / directory), path, "x")
    assert {path.name: path.read_text() for path in outside.iterdir()} == {"target": "untouched"}


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo])
def test_what_is_no_file_is_not_replaced(root: Path, make: Callable[[Path], None]) -> None:
    make(root / "work/x")
    with pytest.raises(PermissionError):
        write_text(root, uri(root / "work"), "x", "x")


def test_a_directory_swapped_for_a_link_during_writes_never_leads_out(root: Path) -> None:
    outside, swapped = root.parent / "outside", root / "work/d"
    done = threading.Event()

    def swap() -> None:
        while not done.is_set():
            shutil.rmtree(swapped, ignore_errors=True)
            with suppress(OSError):
                swapped.symlink_to(outside)
            with suppress(OSError):
                swapped.unlink()

    swapping = threading.Thread(target=swap)
    swapping.start()
    for _ in range(2_000):
        with suppress(OSError):
            write_text(root, uri(root / "work"), "d/x", "x")
    done.set()
    swapping.join()
    assert list(outside.iterdir()) == []
