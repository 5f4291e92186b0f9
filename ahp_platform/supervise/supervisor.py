"""Who keeps the programs of a service running, and ends them in order? One supervisor, in the foreground, in one event loop."""

from __future__ import annotations

import asyncio
import signal
import time
from asyncio.subprocess import Process
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TypeVar

from ahp_platform.supervise.program import Program

FIRST_BACKOFF_S = 0.2
LONGEST_BACKOFF_S = 10.0
# A program that ran this long was well: its next restart is quick again.
WELL_AFTER_S = 30.0

T = TypeVar("T")


class StoppedError(Exception):
    """Somebody asked us to stop while we were still starting."""


class Supervisor:
    """Starts programs, restarts those that die, and stops them last in, first out. `say` gets one line per event."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._kept: list[asyncio.Task[None]] = []
        self._stopping = asyncio.Event()

    def stop_on_signals(self) -> None:
        """SIGINT, SIGTERM and SIGHUP end the service in order; a second one does not hurry it."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self._stopping.set)

    def keep(self, program: Program) -> None:
        """Run the program until the service stops."""
        self._kept.append(asyncio.create_task(self._keep(program), name=program.name))

    async def run_once(self, program: Program) -> tuple[int, str]:
        """Run a program to its end; its exit code and what it wrote to standard output."""
        process = await asyncio.create_subprocess_exec(*program.argv, **program.options(), stdout=-1)
        try:
            output, _ = await self.unless_stopped(process.communicate())
        finally:
            await self._end(program, process)
        return process.returncode or 0, output.decode(errors="replace")

    async def unless_stopped(self, wanted: Awaitable[T]) -> T:
        """Wait for something, but raise `StoppedError` as soon as somebody asks us to stop."""
        work, stop = asyncio.ensure_future(wanted), asyncio.ensure_future(self._stopping.wait())
        try:
            await asyncio.wait((work, stop), return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                raise StoppedError
            return work.result()
        finally:
            stop.cancel()
            work.cancel()

    async def until_stopped(self) -> None:
        """Wait until somebody asks us to stop."""
        await self._stopping.wait()

    async def stop(self) -> None:
        """End every program, the last started first, each within its grace period."""
        self._stopping.set()
        while self._kept:
            task = self._kept.pop()
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _keep(self, program: Program) -> None:
        backoff = FIRST_BACKOFF_S
        while True:
            began = time.monotonic()
            code = await self._run(program)
            well = time.monotonic() - began > WELL_AFTER_S
            backoff = FIRST_BACKOFF_S if well else min(backoff * 2, LONGEST_BACKOFF_S)
            self._say(f"{program.name} ended ({_how(code)}), again in {backoff:.1f} s")
            await asyncio.sleep(backoff)

    async def _run(self, program: Program) -> int:
        output = program.log.open("ab") if program.log else None
        try:
            process = await asyncio.create_subprocess_exec(
                *program.argv, **program.options(), stdout=output, stderr=output
            )
        finally:
            if output is not None:
                output.close()
        self._say(f"{program.name} runs, pid {process.pid}")
        try:
            return await process.wait()
        finally:
            await self._end(program, process)

    async def _end(self, program: Program, process: Process) -> None:
        """Ask it to stop, and end it when it does not; our own cancellation must not leave it behind."""
        if process.returncode is not None:
            return
        with suppress(ProcessLookupError):
            process.send_signal(program.stop_signal)
        try:
            await asyncio.wait_for(asyncio.shield(process.wait()), program.grace_s)
        except TimeoutError:
            self._say(f"{program.name} did not stop within {program.grace_s:.0f} s and is killed")
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()


def _how(code: int) -> str:
    return f"exit code {code}" if code >= 0 else f"killed by {signal.Signals(-code).name}"
