"""What does a program inside the fence see, and what does it get at?"""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from ahp_platform import sandbox
from ahp_platform.sandbox import Fence, NoSandbox, network
from ahp_platform.workspaces import paths
from tests.sandbox.conftest import MINE, SLUG, THEIRS

pytestmark = pytest.mark.skipif(not sandbox.works(), reason="bubblewrap does not work here")


def run(fence: Fence, *argv: str, directory: Path | None = None) -> subprocess.CompletedProcess[str]:
    words = sandbox.wrapped(fence, str(directory or paths.root(fence.slug)), argv)
    return subprocess.run(words, capture_output=True, text=True, timeout=30, check=False)


def readable(fence: Fence, files: Sequence[Path]) -> list[Path]:
    """Those of the files that can be read inside."""
    script = 'for file; do cat -- "$file" > /dev/null 2>&1 && printf "%s\\n" "$file"; done; :'
    return [Path(line) for line in run(fence, "sh", "-c", script, "sh", *map(str, files)).stdout.splitlines()]


@pytest.mark.parametrize("own", [None, MINE])
def test_other_sessions_directories_are_not_there(root: Path, own: str | None) -> None:
    notes = sorted(root.rglob("note"))
    mine = [each for each in notes if own and paths.own_directory_name(own) in each.parts]
    assert len(notes) == 5
    assert readable(Fence(SLUG, own), notes) == [*(each for each in notes if each in mine or each.parent == root)]
    listed = run(Fence(SLUG, own), "ls", *(str(root / folder) for folder in paths.OWN_DIRECTORIES)).stdout
    assert paths.own_directory_name(THEIRS) not in listed


def test_neither_other_tenants_nor_the_services_own_files_are_there(root: Path, tmp_path: Path) -> None:
    outside = [tmp_path / "secret-key", paths.root("other") / "note", Path(__file__), Path("/etc/shadow")]
    (root / "link").symlink_to(tmp_path / "secret-key")
    assert readable(Fence(SLUG), [*outside, root / "link", Path("/proc/1/root") / tmp_path / "secret-key"]) == []


def test_the_workspace_is_written_and_the_system_is_not(root: Path) -> None:
    done = run(Fence(SLUG), "sh", "-c", "echo new > new; touch /usr/new /etc/new; echo $?")
    assert (root / "new").read_text() == "new\n"
    assert done.stdout == "1\n"


def test_processes_outside_are_neither_seen_nor_signalled(root: Path) -> None:
    with subprocess.Popen(["sleep", "70201.5"]) as outside:
        done = run(Fence(SLUG), "sh", "-c", f"cat /proc/[0-9]*/comm | grep -cx sleep; kill {outside.pid}")
        alive = outside.poll() is None
        outside.kill()
    assert (done.stdout, alive) == ("0\n", True)


def test_what_a_program_needs_besides_is_there_as_asked(root: Path, tmp_path: Path) -> None:
    tools, home = tmp_path / "tools", tmp_path / "home"
    for place in (tools, home):
        place.mkdir()
    (tools / "note").write_text("tool")
    fence = Fence(SLUG, readable=[tools], writable=[home])
    done = run(fence, "sh", "-c", f"cat {tools}/note; touch {home}/new; touch {tools}/new")
    assert (done.stdout, (home / "new").exists(), (tools / "new").exists()) == ("tool", True, False)


@pytest.mark.parametrize("place", ["", "workspaces", "workspaces/other", "workspaces/acme/sessions", "tools/.."])
def test_nothing_brings_other_tenants_in(root: Path, tmp_path: Path, place: str) -> None:
    for fence in (Fence(SLUG, readable=[tmp_path / place]), Fence(SLUG, writable=[tmp_path / place])):
        with pytest.raises(NoSandbox, match="cannot be fenced"):
            run(fence, "true")


def test_a_link_that_leads_to_other_tenants_brings_nothing_in(root: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "workspaces")
    with pytest.raises(NoSandbox, match="cannot be fenced"):
        run(Fence(SLUG, readable=[tmp_path / "link"]), "true")


@pytest.fixture
def listening() -> Iterator[int]:
    """A port of the machine's loopback where somebody listens, as the database does."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def reaches(port: int, fence: Fence) -> bool:
    return run(fence, "bash", "-c", f"exec 3<>/dev/tcp/127.0.0.1/{port}").returncode == 0


def test_without_a_network_the_machines_loopback_is_out_of_reach(root: Path, listening: int) -> None:
    assert not reaches(listening, Fence(SLUG))


@pytest.mark.skipif(not network.works(), reason="pasta does not work here")
def test_a_network_of_its_own_leaves_the_machines_loopback_out_of_reach(root: Path, listening: int) -> None:
    fence = Fence(SLUG, network=True)
    assert not reaches(listening, fence)
    devices = run(fence, "cat", "/proc/net/dev").stdout.splitlines()
    assert len(devices) > len(run(Fence(SLUG), "cat", "/proc/net/dev").stdout.splitlines())
    assert run(fence, "sh", "-c", "exit 7").returncode == 7


def test_a_network_that_would_be_the_machines_is_refused(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network, "works", lambda: False)
    with pytest.raises(NoSandbox, match="pasta"):
        run(Fence(SLUG, network=True), "true")
    assert run(Fence(SLUG), "true").returncode == 0


def test_on_ones_own_machine_a_network_is_the_machines(root: Path, listening: int, settings: Any) -> None:
    settings.AHP_SANDBOX = "auto"
    assert reaches(listening, Fence(SLUG, network=True))
    assert not reaches(listening, Fence(SLUG))
