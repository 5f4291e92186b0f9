"""Does an agent's program start fenced, with what it needs and no more, and does nothing of it stay?"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from ahp_platform.agents.backend import TurnFailed
from ahp_platform.agents.launcher import SandboxLauncher
from ahp_platform.agents.launching import LaunchRequest
from ahp_platform.sandbox import kinds

WITHIN_S = 15.0


@pytest.fixture(params=["local", "bubblewrap"])
def kind(request: pytest.FixtureRequest, settings: Any, tmp_path: Path) -> str:
    if request.param == "bubblewrap" and not kinds.works():
        pytest.skip("there is no bubblewrap that works here")
    settings.AHP_SANDBOX, settings.AHP_DATA_DIR = request.param, tmp_path
    return str(request.param)


def request(tmp_path: Path, *argv: str, **more: Any) -> LaunchRequest:
    directory = tmp_path / "workspaces" / "demo" / "work"
    directory.mkdir(parents=True, exist_ok=True)
    return LaunchRequest("demo", None, argv, str(directory), **more)


async def said(launcher: SandboxLauncher, asked: LaunchRequest) -> str:
    process = await launcher.start(asked)
    assert process.stdout is not None
    try:
        return (await asyncio.wait_for(process.stdout.read(), WITHIN_S)).decode()
    finally:
        await launcher.end(process)


async def test_it_finds_its_directory_its_home_and_its_environment(kind: str, tmp_path: Path) -> None:
    home = tmp_path / "agents" / "a" / "home"
    asked = request(
        tmp_path,
        *("sh", "-c", 'pwd; echo "$KEY $HOME"; echo kept > "$HOME/x"; env'),
        environment={"KEY": "given", "HOME": str(home)},
        writable=[str(home)],
    )
    directory, line, *rest = (await said(SandboxLauncher(), asked)).splitlines()
    assert (directory, line) == (asked.directory, f"given {home}")
    assert (home / "x").read_text() == "kept\n"
    names = {each.split("=")[0] for each in rest}
    assert not names & {"DATABASE_URL", "REDIS_URL", "AHP_SECRET_KEY", "AHP_DATA_DIR"}


async def test_a_program_that_is_not_there_is_named(kind: str, tmp_path: Path) -> None:
    with pytest.raises(TurnFailed, match="The program no-such-agent is not on this host"):
        await SandboxLauncher().start(request(tmp_path, "/opt/secret/no-such-agent"))


async def test_a_directory_that_is_not_there_is_an_error(kind: str, tmp_path: Path) -> None:
    asked = LaunchRequest("demo", None, ("true",), str(tmp_path / "workspaces" / "demo" / "gone"))
    with pytest.raises(TurnFailed, match="directory does not exist"):
        await SandboxLauncher().start(asked)


async def test_what_it_started_ends_with_it_wherever_that_has_gone(kind: str, tmp_path: Path) -> None:
    script = "trap '' TERM HUP; setsid sh -c 'trap \"\" TERM HUP; while :; do sleep 1; done' & echo $!; wait"
    launcher = SandboxLauncher()
    process = await launcher.start(request(tmp_path, "sh", "-c", script, environment={"MARK": f"{tmp_path}"}))
    assert process.stdout is not None
    await asyncio.wait_for(process.stdout.readline(), WITHIN_S)
    assert _bearing(f"MARK={tmp_path}")
    await asyncio.wait_for(launcher.end(process), WITHIN_S)
    assert process.returncode is not None
    assert _bearing(f"MARK={tmp_path}") == []


async def test_a_memory_limit_is_one(kind: str, tmp_path: Path) -> None:
    script = "x=$(head -c 300000000 /dev/zero | tr '\\0' x) && echo survived || echo refused"
    asked = request(tmp_path, "sh", "-c", script, memory_mb=100)
    assert "survived" not in await said(SandboxLauncher(), asked)


def _bearing(variable: str) -> list[str]:
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if variable.encode() in path.read_bytes().split(b"\0"):
                found.append(path.parent.name)
        except OSError:
            continue
    return found
