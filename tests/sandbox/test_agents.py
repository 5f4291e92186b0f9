"""Is an agent inside its session's fence, as a shell is?"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from ahp_platform import sandbox
from ahp_platform.agents.launcher import SandboxLauncher
from ahp_platform.agents.launching import LaunchRequest
from ahp_platform.workspaces import paths
from tests.sandbox.conftest import MINE, SLUG

pytestmark = pytest.mark.skipif(not sandbox.works(), reason="bubblewrap does not work here")

READ = 'for file; do cat -- "$file" > /dev/null 2>&1 && printf "%s\\n" "$file"; done; :'


def everything(root: Path, data: Path) -> list[Path]:
    """The files of all, the service's own among them."""
    return [*sorted(root.rglob("note")), paths.root("other") / "note", data / "secret-key"]


@pytest.mark.parametrize("session", [None, MINE])
async def test_an_agent_sees_its_sessions_directories_and_no_others(
    root: Path, tmp_path: Path, session: str | None
) -> None:
    notes = everything(root, tmp_path)
    home = tmp_path / "agents" / "home"
    request = LaunchRequest(
        tenant=SLUG,
        session=session,
        argv=["sh", "-c", READ, "sh", *map(str, notes)],
        directory=str(root),
        writable=[str(home)],
    )
    launcher = SandboxLauncher()
    process = await launcher.start(request)
    seen, _ = await asyncio.wait_for(process.communicate(), 30)
    await launcher.end(process)
    mine = paths.own_directory_name(session) if session else "nobody's"
    assert seen.decode().splitlines() == [str(note) for note in notes if mine in note.parts or note.parent == root]
