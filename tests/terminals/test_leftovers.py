"""Is nothing left of a program in either kind of sandbox, even where its host was killed?"""

from __future__ import annotations

import asyncio
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest

from ahp_platform import sandbox
from ahp_platform.local import PROJECT
from ahp_platform.sandbox import Fence, groups, leftovers
from ahp_platform.workspaces import paths
from terminals_app.environment import environment
from terminals_app.pty.process import PtyProcess
from tests.terminals.conftest import Gone
from tests.terminals.shell import running
from tests.terminals.test_ends import STUBBORN

# A host that runs what it is told behind a pty, says so once it runs, and then waits to be killed.
HOST = """
    import asyncio, sys
    from terminals_app.pty.process import PtyProcess
    async def main():
        marker, word, *argv = sys.argv[1:]
        env = {"AHP_MARKER": marker, "PATH": "/usr/bin:/bin", "HOME": "/tmp"}
        process, shown = await PtyProcess.start(argv, env, "/", (80, 24)), b""
        while word.encode() not in shown:
            shown += await process.read()
        print(word, flush=True)
        await asyncio.Event().wait()
    asyncio.run(main())
"""


@pytest.fixture(params=["bubblewrap", "local", "local without groups"])
def root(request: pytest.FixtureRequest, settings: Any, tmp_path: Path) -> Iterator[Path]:
    kind, *without = request.param.split()
    if kind == "bubblewrap" and not sandbox.works():
        pytest.skip("bubblewrap does not work here")
    settings.AHP_DATA_DIR, settings.AHP_SANDBOX = tmp_path, kind
    settings.AHP_CGROUP = "off" if without else ""
    groups.places.cache_clear()
    paths.root("acme").mkdir(parents=True)
    yield paths.root("acme")
    groups.places.cache_clear()


@pytest.fixture
def marker() -> Iterator[UUID]:
    made = uuid4()
    yield made
    leftovers.end_all((made,))


async def shown(process: PtyProcess, word: bytes) -> None:
    text = b""
    while word not in text:
        text += await process.read()


async def all_run(word: str) -> None:
    """Wait until the shell's children have become what it started them as."""

    async def look() -> None:
        while len(await asyncio.to_thread(running, word)) < 5:
            pass

    await asyncio.wait_for(look(), 15)


async def test_all_that_a_shell_started_ends_with_it(root: Path, marker: UUID, gone: Gone) -> None:
    word = f"70221.{marker.int % 10**6}"
    argv = sandbox.wrapped(Fence("acme", marker=marker), str(root), ["bash", "-c", f"{STUBBORN.format(word)}; wait"])
    process = await PtyProcess.start(argv, environment(marker, str(root), "bash"), str(root), (80, 24))
    await shown(process, b"started")
    await all_run(word)
    leftovers.end_all((marker,), (process.pid,))
    await gone(word)
    process.close()
    await process.wait()


async def test_all_of_it_is_found_by_the_host_that_takes_over(root: Path, marker: UUID, gone: Gone) -> None:
    word = f"70222.{marker.int % 10**6}"
    argv = sandbox.wrapped(Fence("acme", marker=marker), str(root), ["bash", "-c", f"{STUBBORN.format(word)}; wait"])
    program = [sys.executable, "-c", textwrap.dedent(HOST), str(marker), "started", *argv]
    host = await asyncio.create_subprocess_exec(*program, cwd=PROJECT, stdout=asyncio.subprocess.PIPE)
    assert host.stdout is not None
    assert await host.stdout.readline() == b"started\n"
    await all_run(word)
    host.kill()
    await host.wait()
    leftovers.end_all((marker,))
    await gone(word)
    found = groups.places()
    assert not any(group.exists() for group in (found.of(marker) if found else ()))
