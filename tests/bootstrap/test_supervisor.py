"""Does the supervisor restart what dies, stop in order, and leave nobody behind?"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator

import psutil
import pytest

from ahp_platform.supervise.program import Program
from ahp_platform.supervise.supervisor import StoppedError, Supervisor

SLEEPER = "import signal; signal.pause()"
STUBBORN = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); signal.pause()"


class Told:
    """The lines that the supervisor said, and a way to wait for one."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._new = asyncio.Event()

    def __call__(self, line: str) -> None:
        self.lines.append(line)
        self._new.set()

    async def line(self, text: str, nth: int = 1) -> str:
        """The nth line that contains the text."""
        async with asyncio.timeout(10):
            while True:
                found = [line for line in self.lines if text in line]
                if len(found) >= nth:
                    return found[nth - 1]
                self._new.clear()
                await self._new.wait()

    async def pid(self, name: str, nth: int = 1) -> int:
        """The process id of the nth start of a program."""
        return int((await self.line(f"{name} runs, pid ", nth)).rsplit(" ", 1)[1])


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
async def supervisor(told: Told) -> AsyncIterator[Supervisor]:
    made = Supervisor(told)
    yield made
    await made.stop()


def python(name: str, code: str, grace_s: float = 5.0) -> Program:
    return Program(name, [sys.executable, "-c", code], grace_s=grace_s)


async def test_a_program_that_is_killed_runs_again(supervisor: Supervisor, told: Told) -> None:
    supervisor.keep(python("sleeper", SLEEPER))
    first = await told.pid("sleeper")
    os.kill(first, signal.SIGKILL)
    assert "SIGKILL" in await told.line("sleeper ended")
    assert await told.pid("sleeper", nth=2) != first


async def test_a_program_that_keeps_failing_is_started_ever_more_slowly(supervisor: Supervisor, told: Told) -> None:
    supervisor.keep(python("failing", "raise SystemExit(3)"))
    first, second = await told.line("exit code 3", 1), await told.line("exit code 3", 2)
    assert float(second.split(" in ")[1].split()[0]) > float(first.split(" in ")[1].split()[0])


async def test_programs_stop_last_in_first_out(supervisor: Supervisor, told: Told) -> None:
    for name in ("database", "web"):
        supervisor.keep(python(name, SLEEPER))
    pids = [await told.pid(name) for name in ("database", "web")]
    await supervisor.stop()
    assert not [pid for pid in pids if psutil.pid_exists(pid)]


async def test_a_program_that_ignores_the_request_is_killed_after_its_grace(supervisor: Supervisor, told: Told) -> None:
    supervisor.keep(python("stubborn", STUBBORN, grace_s=0.5))
    pid = await told.pid("stubborn")
    await asyncio.wait_for(supervisor.stop(), 5)
    assert not psutil.pid_exists(pid)


async def test_a_stop_interrupts_what_is_still_starting(supervisor: Supervisor) -> None:
    running = asyncio.create_task(supervisor.run_once(python("slow", SLEEPER)))
    await supervisor.stop()
    with pytest.raises(StoppedError):
        await asyncio.wait_for(running, 10)


def test_a_killed_supervisor_takes_its_programs_with_it() -> None:
    code = (
        "import subprocess, sys; from ahp_platform.supervise.program import Program\n"
        f"program = Program('child', [sys.executable, '-c', {SLEEPER!r}])\n"
        "child = subprocess.Popen(program.argv, **program.options())\n"
        "print(child.pid, flush=True); child.wait()"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    child = psutil.Process(int(parent.stdout.readline()))
    parent.kill()
    parent.wait(5)
    psutil.wait_procs([child], timeout=5)
    assert not child.is_running() or child.status() == psutil.STATUS_ZOMBIE
