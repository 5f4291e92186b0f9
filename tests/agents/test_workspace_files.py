"""Which files does a turn get at? Those in its working directories, by whatever name, and no others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ahp_platform.agents.backend import TurnFailed
from ahp_platform.agents.workspace_files import WorkspaceFiles
from ahp_platform.workspaces import paths


@pytest.fixture
def root(tmp_path: Path, settings: Any) -> Path:
    settings.AHP_DATA_DIR = tmp_path
    found = paths.root("demo")
    for place in ("work/deep", "other", "sessions/mine", "sessions/theirs"):
        (found / place).mkdir(parents=True)
    (tmp_path / "outside").write_text("secret")
    return found


def files(root: Path, *directories: str) -> WorkspaceFiles:
    return WorkspaceFiles(root, [(root / each).as_uri() for each in directories])


def test_a_file_is_named_absolutely_or_from_the_first_directory(root: Path) -> None:
    turn = files(root, "work", "other")
    turn.write("a/b.txt", "näme\n")
    turn.write(f"{root}/other/c.txt", "c")
    assert turn.read(f"{root}/work/a/b.txt") == "näme\n"
    assert (root / "other/c.txt").read_text() == "c"
    assert turn.uri("a/b.txt") == (root / "work/a/b.txt").as_uri()


@pytest.mark.parametrize(
    "path",
    ["../other/x", "{root}/x", "{root}/work/../x", "/etc/passwd", "{root}/work", "", ".", "a\0b", "{root}/workshop/x"],
)
def test_a_path_to_anywhere_else_is_refused(root: Path, path: str) -> None:
    turn = files(root, "work")
    for call in (turn.read, lambda named: turn.write(named, "x")):
        with pytest.raises(OSError):
            call(path.format(root=root))


def test_a_link_that_leads_out_is_not_followed(root: Path) -> None:
    (root / "work/link").symlink_to(root.parents[1] / "outside")
    (root / "work/up").symlink_to(root.parents[1])
    turn = files(root, "work")
    for path in ("link", "up/outside"):
        with pytest.raises(OSError):
            turn.read(path)
        with pytest.raises(OSError):
            turn.write(path, "x")
    assert (root.parents[1] / "outside").read_text() == "secret"


def test_another_sessions_own_directory_is_not_entered_through_a_link(root: Path) -> None:
    (root / "sessions/theirs/x").write_text("private")
    (root / "sessions/mine/link").symlink_to(root / "sessions/theirs/x")
    turn = files(root, "sessions/mine")
    turn.write("y", "mine")
    with pytest.raises(OSError):
        turn.read("link")


def test_without_a_directory_there_are_no_files(root: Path) -> None:
    turn = WorkspaceFiles(root, ["file:///etc", "http://x/"])
    with pytest.raises(OSError):
        turn.read("passwd")


def test_a_command_runs_in_a_working_directory(root: Path) -> None:
    turn = files(root, "work", "other")
    assert turn.directory("") == (root / "work").as_uri()
    assert turn.directory(f"{root}/other") == (root / "other").as_uri()
    assert turn.directory(f"{root}/work/deep") == (root / "work/deep").as_uri()
    with pytest.raises(TurnFailed):
        turn.directory("/etc")
