"""Is nothing run that a repository brings along, and does git see no more than a shell of its tenant?"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ahp_platform import sandbox
from ahp_platform.sandbox import Fence, kinds
from ahp_platform.workspaces import paths
from sessions_app import repository
from sessions_app.repository import GitFailed

FENCE = Fence("acme", "ahp-session:/one")
FENCED = pytest.mark.skipif(not sandbox.works(), reason="bubblewrap does not work here")


def git(folder: Path, *arguments: str) -> str:
    words = ["git", "-C", str(folder), "-c", "user.name=T", "-c", "user.email=t@example.org", *arguments]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def made(folder: Path) -> Path:
    """A repository with one commit and the branches main and other."""
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    (folder / "file.txt").write_text("content\n")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first")
    git(folder, "branch", "another")
    return folder


@pytest.fixture(params=["auto", "local"])
def root(request: pytest.FixtureRequest, settings: Any, tmp_path: Path) -> Path:
    """The tenant's directory."""
    settings.AHP_DATA_DIR, settings.AHP_SANDBOX = tmp_path, request.param
    paths.root("acme").mkdir(parents=True)
    return paths.root("acme")


def place_of_worktree(root: Path, session: str = "ahp-session:/one") -> Path:
    target = root / paths.WORKTREES / paths.own_directory_name(session)
    target.mkdir(parents=True)
    return target


async def test_the_checked_out_branch_comes_first(root: Path) -> None:
    assert await repository.branches(FENCE, made(root / "project")) == ["main", "another"]
    assert await repository.branches(FENCE, root) == []


async def test_hooks_monitors_and_pagers_are_not_run(root: Path) -> None:
    project, ran = made(root / "project"), root / "ran"
    program = root / "program"
    program.write_text(f"#!/bin/sh\necho $0 >> '{ran}'\n")
    program.chmod(0o755)
    (project / ".git" / "hooks" / "post-checkout").symlink_to(program)
    for name in ("core.fsmonitor", "core.pager", "core.sshCommand", "core.editor", "diff.external", "core.askPass"):
        git(project, "config", name, str(program))
    ran.unlink(missing_ok=True)
    assert await repository.branches(FENCE, project) == ["main", "another"]
    target = place_of_worktree(root)
    await repository.add_worktree(FENCE, project, target, "another")
    await repository.forget_worktree(FENCE, target)
    assert not ran.exists()


@pytest.mark.parametrize("place", ["here", "included", "by condition", "of the worktree"])
async def test_a_repository_with_filters_of_its_own_is_refused(root: Path, place: str) -> None:
    project, ran = made(root / "project"), root / "ran"
    (project / ".gitattributes").write_text("* filter=x\n")
    git(project, "add", ".")
    git(project, "commit", "-qm", "attributes")
    more = root / "more"
    git(project, "config", "--file", str(more), "filter.x.smudge", f"touch '{ran}'; cat")
    match place:
        case "here":
            git(project, "config", "filter.x.smudge", f"touch '{ran}'; cat")
        case "included":
            git(project, "config", "include.path", str(more))
        case "by condition":
            git(project, "config", "includeIf.gitdir:**/worktrees/**.path", str(more))
        case _:
            git(project, "config", "extensions.worktreeConfig", "true")
            git(project, "config", "--worktree", "filter.x.smudge", f"touch '{ran}'; cat")
    with pytest.raises(GitFailed, match="programs of its own"):
        await repository.add_worktree(FENCE, project, place_of_worktree(root), "main")
    assert not ran.exists()


async def test_pruning_elsewhere_leaves_a_sessions_worktree(root: Path) -> None:
    project, target = made(root / "project"), place_of_worktree(root)
    await repository.add_worktree(FENCE, project, target, "another")
    # What another session's shell does, to whom this worktree is not visible.
    await repository.run(Fence("acme"), project, "worktree", "prune", "--expire", "now")
    assert git(target, "status", "--porcelain") == ""


async def test_a_worktree_is_made_again_where_one_was_lost(root: Path) -> None:
    project, target = made(root / "project"), place_of_worktree(root)
    await repository.add_worktree(FENCE, project, target, "another")
    shutil.rmtree(target)
    target.mkdir()
    await repository.add_worktree(FENCE, project, target, "main")
    assert (target / "file.txt").read_text() == "content\n"


async def test_a_forgotten_worktree_leaves_nothing_in_the_repository(root: Path) -> None:
    project, target = made(root / "project"), place_of_worktree(root)
    await repository.add_worktree(FENCE, project, target, "another")
    await repository.forget_worktree(FENCE, target)
    assert str(target) not in git(project, "worktree", "list")


@FENCED
async def test_a_repository_outside_of_the_fence_is_none(root: Path, settings: Any, tmp_path: Path) -> None:
    settings.AHP_SANDBOX = "bubblewrap"
    theirs = made(paths.root("others") / "project")
    (root / "link").symlink_to(theirs)
    (root / "pointer").mkdir()
    (root / "pointer" / ".git").write_text(f"gitdir: {theirs / '.git'}\n")
    own = made(root / paths.WORKTREES / paths.own_directory_name("ahp-session:/two"))
    for place in (root / "link", root / "pointer", own):
        assert await repository.branches(FENCE, place) == []
    with pytest.raises(GitFailed):
        await repository.add_worktree(FENCE, root / "pointer", place_of_worktree(root), "main")


async def test_without_a_sandbox_git_is_refused_in_words_for_people(
    root: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = made(root / "project")
    settings.AHP_SANDBOX = "bubblewrap"
    monkeypatch.setattr(kinds, "works", lambda: False)
    assert await repository.branches(FENCE, project) == []
    with pytest.raises(GitFailed, match="no working bubblewrap"):
        await repository.add_worktree(FENCE, project, place_of_worktree(root), "main")
