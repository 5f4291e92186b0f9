"""What does a session need to know of the git repository it works in?

Only plumbing commands, with a fixed configuration: nothing that a repository brings along is run. Source: STYLE.md,
traps.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path

TIMEOUT_S = 10.0

ENVIRONMENT: Mapping[str, str] = {
    "PATH": os.environ.get("PATH", os.defpath),
    "LC_ALL": "C.UTF-8",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_LITERAL_PATHSPECS": "1",
}
OPTIONS = ("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "safe.directory=*")


class GitFailed(Exception):
    """A git command failed; the text says why in git's words."""


async def branches(directory: Path) -> list[str]:
    """The local branches of the repository at `directory`, the checked-out one first; empty where there is none."""
    if not (directory / ".git").exists():
        return []
    try:
        text = await run(directory, "for-each-ref", "--format=%(HEAD)%(refname:short)%00", "refs/heads/")
    except (GitFailed, OSError):
        return []
    names = [name.strip("\n") for name in text.split("\0") if name.strip("\n")]
    return [name[1:] for name in sorted(names, key=lambda name: (name[0] != "*", name))]


async def add_worktree(repository: Path, target: Path, base: str) -> None:
    """Check `base` out into a new worktree; refuses a repository whose own configuration would run programs."""
    if await _runs_programs(repository):
        raise GitFailed("The repository configures programs of its own (filters); a worktree is not made of it")
    await run(repository, "worktree", "prune")
    await run(repository, "worktree", "add", "--detach", "--", str(target), base)


async def _runs_programs(repository: Path) -> bool:
    names = await run(repository, "config", "--local", "--includes", "--name-only", "-z", "--list")
    return any(name.startswith("filter.") for name in names.lower().split("\0"))


async def run(directory: Path, *arguments: str) -> str:
    """The output of one git command, bounded in time; raises `GitFailed`."""
    process = await asyncio.create_subprocess_exec(
        *("git", *OPTIONS, *arguments),
        cwd=directory,
        env=dict(ENVIRONMENT),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        out, err = await asyncio.wait_for(process.communicate(), TIMEOUT_S)
    except TimeoutError:
        process.kill()
        await process.wait()
        raise GitFailed("git took too long") from None
    if process.returncode:
        raise GitFailed(err.decode(errors="replace").strip() or "git failed")
    return out.decode(errors="replace")
