"""How does one program run behind a pseudo terminal?

It leads a session of its own whose controlling terminal is the pty. What it writes is read only as fast as it is taken: beyond a
bound the pty is not read, and the kernel makes the program wait.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import fcntl
import os
import pty
import struct
import termios
from asyncio.subprocess import Process
from collections.abc import Mapping, Sequence

READ_AT_ONCE = 64 * 1024
MAX_UNTAKEN = 256 * 1024
# So much is worth a batch of its own.
ENOUGH = 64 * 1024
MAX_UNWRITTEN = 1024 * 1024

# After the program has ended and everything of it was killed, the pty ends; a kernel that forgets to say so is not waited for.
LAST_OUTPUT_S = 2.0

# What a process that was killed by signal n comes to in a shell.
SIGNALLED = 128


class PtyProcess:
    """A running program and the host's end of its pty."""

    def __init__(self, process: Process, fd: int) -> None:
        self._process, self._fd = process, fd
        self._loop = asyncio.get_running_loop()
        self._output = bytearray()
        self._input = bytearray()
        self._reading, self._writing, self._last, self._ended = False, False, False, False
        self._arrived, self._worth_taking = asyncio.Event(), asyncio.Event()
        self._read_on()

    @classmethod
    async def start(cls, argv: Sequence[str], env: Mapping[str, str], cwd: str, size: tuple[int, int]) -> PtyProcess:
        """Start it; raises `OSError`. `size` is columns and rows."""
        ours, theirs = pty.openpty()
        try:
            _resize(ours, *size)
            os.set_blocking(ours, False)
            # setsid gives the program a session of its own and makes its standard input the controlling terminal.
            program = ("setsid", "--ctty", *argv)
            process = await asyncio.create_subprocess_exec(
                *program, stdin=theirs, stdout=theirs, stderr=theirs, env=dict(env), cwd=cwd
            )
        except BaseException:
            os.close(ours)
            raise
        finally:
            os.close(theirs)
        return cls(process, ours)

    @property
    def pid(self) -> int:
        """The process id, which is that of its session, too."""
        return self._process.pid

    async def wait(self) -> int:
        """The exit code, once the program has ended: 128 and the signal's number where one killed it."""
        code = await self._process.wait()
        return SIGNALLED - code if code < 0 else code

    def resize(self, cols: int, rows: int) -> None:
        """The window has another size; the foreground program is told."""
        if not self._ended:
            _resize(self._fd, cols, rows)

    def write(self, text: bytes) -> None:
        """Type. What a program that reads nothing is sent beyond a bound is dropped, as a full keyboard buffer does."""
        if self._ended or len(self._input) > MAX_UNWRITTEN:
            return
        self._input += text
        self._worth_taking.set()
        self._write_on()

    async def read(self) -> bytes:
        """What was written since the last call, waiting for some; empty at the end."""
        while not self._output and not self._ended:
            self._arrived.clear()
            try:
                await asyncio.wait_for(self._arrived.wait(), LAST_OUTPUT_S if self._last else None)
            except TimeoutError:
                self._end()
        taken, self._output = bytes(self._output), bytearray()
        self._worth_taking.clear()
        self._read_on()
        return taken

    async def gather(self, seconds: float) -> None:
        """Let output gather for so long; less where there is much already, or where somebody types and waits for the echo."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._worth_taking.wait(), seconds)

    def no_more(self) -> None:
        """The program and all that it started have ended: what is in the pty is the last."""
        self._last = True
        self._arrived.set()

    def close(self) -> None:
        """Let go of the pty."""
        self._end()
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def _read_on(self) -> None:
        if not self._reading and not self._ended and len(self._output) < MAX_UNTAKEN:
            self._reading = True
            self._loop.add_reader(self._fd, self._readable)

    def _readable(self) -> None:
        try:
            taken = os.read(self._fd, READ_AT_ONCE)
        except BlockingIOError:
            return
        except OSError as error:
            if error.errno != errno.EIO:  # nobody holds the other end any more
                raise
            taken = b""
        if not taken:
            self._end()
        self._output += taken
        self._arrived.set()
        if len(self._output) >= ENOUGH:
            self._worth_taking.set()
        if self._reading and len(self._output) >= MAX_UNTAKEN:
            self._reading = False
            self._loop.remove_reader(self._fd)

    def _write_on(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while self._input:
                try:
                    written = os.write(self._fd, self._input)
                except OSError as error:
                    if error.errno != errno.EIO:
                        raise
                    self._input.clear()
                    break
                del self._input[:written]
        if bool(self._input) is self._writing:
            return
        self._writing = bool(self._input)
        if self._writing:
            self._loop.add_writer(self._fd, self._write_on)
        else:
            self._loop.remove_writer(self._fd)

    def _end(self) -> None:
        if self._reading:
            self._loop.remove_reader(self._fd)
        if self._writing:
            self._loop.remove_writer(self._fd)
        self._reading, self._writing, self._ended = False, False, True
        self._arrived.set()
        self._worth_taking.set()


def _resize(fd: int, cols: int, rows: int) -> None:
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))
