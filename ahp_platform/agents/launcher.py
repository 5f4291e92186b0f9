"""How does an agent's program become a running process, and how does everything that it started end with it?

It runs in the tenant's sandbox, in a session of its own, and bears a marker by which whatever it leaves behind is found. What it
finds in its environment is what its specification says, and of ours the language and the time zone.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from uuid import UUID, uuid4
from weakref import WeakKeyDictionary

from ahp_platform import sandbox
from ahp_platform.agents.backend import TurnFailed
from ahp_platform.agents.launching import LaunchRequest
from ahp_platform.sandbox import groups, leftovers
from ahp_platform.workspaces import paths

PASSED_ON = ("LANG", "LC_ALL", "LC_CTYPE", "TZ")
SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

# The name of the directory that stands for a tenant's where a program runs for none; no tenant is called so.
NOBODY = ".nobody"

# An agent that is asked to end may write down where it was.
LEAVE_S = 0.5
DRAIN_S = 2.0


class SandboxLauncher:
    """The `Launcher` of host processes and workers."""

    def __init__(self) -> None:
        self._markers: WeakKeyDictionary[asyncio.subprocess.Process, UUID] = WeakKeyDictionary()

    async def start(self, request: LaunchRequest) -> asyncio.subprocess.Process:
        """See `Launcher`."""
        marker = uuid4()
        environment = {**_minimum(), **request.environment, leftovers.VARIABLE: str(marker)}
        try:
            argv, cwd = await asyncio.to_thread(_command_line, request, environment)
            process = await asyncio.create_subprocess_exec(
                *argv,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env=environment,
                cwd=cwd,
                start_new_session=True,
            )
        except sandbox.NoSandbox as error:
            raise TurnFailed("noSandbox", str(error)) from None
        except OSError as error:
            raise TurnFailed("agentMissing", f"The agent cannot be started: {error.strerror}.") from None
        self._markers[process] = marker
        return process

    async def end(self, process: asyncio.subprocess.Process) -> None:
        """See `Launcher`."""
        if process.returncode is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGTERM)
            with suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), LEAVE_S)
        await asyncio.to_thread(leftovers.end_all, (self._markers[process],), (process.pid,))
        with suppress(TimeoutError, OSError):
            # What nobody has read would keep the pipes open.
            await asyncio.wait_for(process.communicate(), DRAIN_S)
        await process.wait()


def _minimum() -> Mapping[str, str]:
    passed = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    return {"LANG": "C.UTF-8", **passed, "PATH": SYSTEM_PATH, "TERM": "dumb", "USER": "user"}


def _command_line(request: LaunchRequest, environment: dict[str, str]) -> tuple[list[str], str]:
    """What to run and where, after making the directories that it needs; completes the environment."""
    root = paths.root(request.tenant or NOBODY)
    root.mkdir(parents=True, exist_ok=True)
    for place in request.writable:
        Path(place).mkdir(mode=0o700, parents=True, exist_ok=True)
    environment.setdefault("HOME", sandbox.home(root))
    if shutil.which(request.argv[0], path=environment["PATH"]) is None:
        name = Path(request.argv[0]).name
        raise TurnFailed("agentMissing", f"The program {name} is not on this host. An operator can install it.")
    if not Path(request.directory).is_dir():
        raise TurnFailed("noDirectory", "The working directory does not exist.")
    fence = sandbox.Fence(
        slug=request.tenant or NOBODY,
        own=request.session,
        network=request.network,
        readable=tuple(map(Path, request.readable)),
        writable=tuple(map(Path, request.writable)),
        marker=UUID(environment[leftovers.VARIABLE]),
        memory_mb=request.memory_mb,
    )
    argv = sandbox.wrapped(fence, request.directory, [*_limited(request.memory_mb), *request.argv])
    return argv, sandbox.started_in(fence, request.directory)


def _limited(memory_mb: int) -> list[str]:
    """Where there is no control group to limit it all: what each process may have, twice what is meant to be used.

    The runtimes of JavaScript reserve much more than they touch.
    """
    return ["prlimit", f"--data={memory_mb << 21}", "--"] if memory_mb and groups.places() is None else []


launcher = SandboxLauncher()
