"""Does each shell that we know tell of its commands, through our start-up files and the user's own?"""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from ahp_platform.sandbox.leftovers import end_all
from terminals_app.environment import environment
from terminals_app.pty.process import PtyProcess
from terminals_app.shell_integration import start_up
from terminals_app.shell_integration.marks import Output

START_S = 20.0
PERSONAL = {
    "bash": (".bashrc", "hi=personal"),
    "zsh": (".zshrc", "hi=personal"),
    "fish": (".config/fish/config.fish", "set hi personal"),
}


class Session:
    """A shell that runs, and what it has told."""

    def __init__(self, process: PtyProcess, output: Output) -> None:
        self._process, self._output = process, output
        self.actions: list[dict[str, Any]] = []

    def of(self, type_: str) -> list[dict[str, Any]]:
        return [each for each in self.actions if each["type"] == f"terminal/{type_}"]

    @property
    def text(self) -> str:
        return "".join(each["data"] for each in self.of("data"))

    async def run(self, line: str) -> dict[str, Any]:
        """Type a line and wait until the command has finished; how it did."""
        before = len(self.of("commandFinished"))
        self._process.write(f"{line}\r".encode())
        async with asyncio.timeout(START_S):
            while len(self.of("commandFinished")) == before:
                self.actions += self._output.feed(await self._process.read())
        return self.of("commandFinished")[-1]


@pytest.fixture(params=["bash", "zsh", "fish"])
async def session(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Session]:
    shell = shutil.which(request.param)
    if shell is None:
        pytest.skip(f"no {request.param} here")
    name, line = PERSONAL[request.param]
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text(f"{line}\n")
    start, marker = start_up.start(shell, str(start_up.SCRIPTS)), uuid4()
    env = {**environment(marker, str(tmp_path), shell), **start.env}
    process = await PtyProcess.start(start.argv, env, str(tmp_path), (80, 24))
    yield Session(process, Output(start.nonce, lambda: int(time.time() * 1000)))
    end_all((marker,), (process.pid,))
    await process.wait()
    process.close()


async def test_commands_their_codes_and_directories_are_told(session: Session, tmp_path: Path) -> None:
    await session.run("true")
    assert (await session.run("sh -c 'exit 3'"))["exitCode"] == 3
    (tmp_path / "sub dir").mkdir()
    await session.run("cd 'sub dir'; echo a; echo 'b\\c'")
    await session.run("true")
    lines = [each["commandLine"] for each in session.of("commandExecuted")]
    assert lines[1:3] == ["sh -c 'exit 3'", "cd 'sub dir'; echo a; echo 'b\\c'"]
    assert session.of("cwdChanged")[-1]["cwd"] == (tmp_path / "sub dir").as_uri()


async def test_the_users_own_start_up_file_is_read(session: Session) -> None:
    await session.run("echo it is $hi.")
    assert "it is personal." in session.text


async def test_the_secret_of_the_marks_is_not_in_the_shells_environment(session: Session) -> None:
    await session.run("env | grep -c AHP_SHELL_NONCE")
    assert session.of("commandFinished")[-1]["exitCode"] == 1
