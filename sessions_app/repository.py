"""What does a session need to know of the git repository it works in?

Only plumbing commands, inside the tenant's fence, with a fixed configuration: nothing that a repository brings along is run, and a
`.git` that leads elsewhere leads nowhere. Source: DESIGN.md section 7; STYLE.md, traps.
"""

from __future__ import annotations

import asyncio
import os
import signal
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from ahp_platform import sandbox
from ahp_platform.sandbox import Fence, NoSandbox

TIMEOUT_S = 10.0
MAX_BRANCHES = 5_000

ENVIRONMENT: Mapping[str, str] = {
    "PATH": os.environ.get("PATH", os.defpath),
    "LC_ALL": "C.UTF-8",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_PAGER": "cat",
    "GIT_EDITOR": "false",
    "GIT_ASKPASS": "false",
    "GIT_SSH_COMMAND": "false",
}
OPTIONS = (
    *("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "core.attributesFile=/dev/null"),
    *("-c", "safe.directory=*", "-c", "submodule.recurse=false", "-c", "gc.auto=0", "-c", "maintenance.auto=false"),
)

# Filters are run at a checkout; what is included under a condition may come true only in the worktree.
PROGRAMS = ("filter.", "includeif.")


class GitFailed(Exception):
    """A git command failed, or may not be run here; the text says why in words for people."""


async def branches(fence: Fence, directory: Path) -> list[str]:
    """The local branches of the repository at `directory`, the checked-out one first; empty where there is none."""
    if not (directory / ".git").exists():
        return []
    wanted = (
        "--format=%(refname:short)%00",
        "--sort=refname",
        "--sort=-HEAD",
        f"--count={MAX_BRANCHES}",
        "refs/heads/",
    )
    try:
        text = await run(fence, directory, "for-each-ref", *wanted)
    except (GitFailed, OSError):
        return []
    return [name for line in text.split("\0") if (name := line.strip("\n"))]


async def add_worktree(fence: Fence, repository: Path, target: Path, base: str) -> None:
    """Check `base` out into a new worktree; refuses a repository whose own configuration would run programs.

    `target` is an empty directory of the fence's session. The worktree is locked: `git worktree prune`, where it is not to be seen,
    would take it for gone.
    """
    names = await run(fence, repository, "config", "--includes", "--name-only", "-z", "--list")
    if any(name.startswith(PROGRAMS) for name in names.lower().split("\0")):
        raise GitFailed("The repository configures programs of its own (filters); a worktree is not made of it")
    # Twice, because an earlier session with this URI may have left one behind there, locked as well.
    options = ("--force", "--force", "--lock", "--detach")
    await run(fence, repository, "worktree", "add", *options, "--", str(target), base)


async def forget_worktree(fence: Fence, worktree: Path) -> None:
    """The repository need not know of it any more; a repository that is gone, or not one, is no error."""
    if (worktree / ".git").is_file():
        with suppress(GitFailed, OSError):
            await run(fence, worktree, "worktree", "remove", "--force", "--force", "--", str(worktree))


async def run(fence: Fence, directory: Path, *arguments: str) -> str:
    """The output of one git command, bounded in time; raises `GitFailed`."""
    try:
        words = ("git", *OPTIONS, *arguments)
        program = await asyncio.to_thread(sandbox.wrapped, fence, str(directory), words)
    except NoSandbox as error:
        raise GitFailed(str(error)) from None
    process = await asyncio.create_subprocess_exec(
        *program,
        cwd=sandbox.started_in(fence, str(directory)),
        env=dict(ENVIRONMENT),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=PIPE,
        stderr=PIPE,
        start_new_session=True,
    )
    try:
        out, err = await asyncio.wait_for(process.communicate(), TIMEOUT_S)
    except TimeoutError:
        raise GitFailed("git took too long") from None
    finally:
        await _end(process)
    if process.returncode:
        raise GitFailed(err.decode(errors="replace").strip() or "git failed")
    return out.decode(errors="replace")


async def _end(process: Process) -> None:
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
