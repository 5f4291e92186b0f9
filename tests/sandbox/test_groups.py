"""Do the limits hold for a program with all that it starts, and does nobody get away from its group?"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import psutil
import pytest

from ahp_platform import sandbox
from ahp_platform.sandbox import Fence, groups, hierarchies, leftovers
from ahp_platform.sandbox.groups import Places
from ahp_platform.workspaces import paths

PLACES = groups.places()
CONTROLLERS = {name for has in (PLACES.controllers.values() if PLACES else ()) for name in has}
needs_groups = pytest.mark.skipif(not {"memory", "pids"} <= CONTROLLERS, reason="no control groups can be made here")
GREEDY = "held = bytearray(300 << 20); print('held')"


@pytest.fixture(params=["local", "auto"])
def root(request: pytest.FixtureRequest, settings: Any, tmp_path: Path) -> Path:
    settings.AHP_DATA_DIR, settings.AHP_SANDBOX = tmp_path, request.param
    paths.root("acme").mkdir(parents=True)
    return paths.root("acme")


@pytest.fixture
def marker() -> Iterator[UUID]:
    """Of a program that is ended with the test."""
    made = uuid4()
    yield made
    leftovers.end_all((made,))


def run(fence: Fence, *argv: str) -> subprocess.CompletedProcess[str]:
    words = sandbox.wrapped(fence, str(paths.root(fence.slug)), argv)
    return subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)


def remains_of(marker: UUID) -> list[Path]:
    found = groups.places()
    return [group for group in found.of(marker) if group.exists()] if found else []


@needs_groups
def test_memory_is_bounded_for_all_processes_together(root: Path, marker: UUID) -> None:
    python = "/usr/bin/python3" if Path("/usr/bin/python3").exists() else sys.executable
    beside = Path(python).parents[1]
    readable = [] if beside == Path("/usr") else [beside]
    small = Fence("acme", marker=marker, memory_mb=100, readable=readable)
    assert "held" not in run(small, python, "-c", GREEDY).stdout
    leftovers.end_all((marker,))
    large = Fence("acme", marker=marker, memory_mb=1000, readable=readable)
    assert run(large, python, "-c", GREEDY).stdout == "held\n"


@needs_groups
def test_processes_are_bounded_for_all_together(root: Path, marker: UUID, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups, "PROCESSES", 20)
    # This shell gives up when it cannot start another.
    done = run(Fence("acme", marker=marker), "sh", "-c", f"{'sleep 70211.5 > /dev/null 2>&1 & ' * 40} echo over")
    assert "over" not in done.stdout
    assert "fork" in done.stderr


@needs_groups
def test_a_process_that_does_everything_to_be_lost_is_ended(root: Path, marker: UUID) -> None:
    # Without its environment, in a session of its own, and its parent is gone at once: only the group knows it.
    hidden = "trap '' HUP TERM; echo hidden; exec sleep 70212.5 2> /dev/null"
    script = f'(env -i setsid sh -c "{hidden}" &); exit 0'
    words = sandbox.wrapped(Fence("acme", marker=marker), str(root), ["bash", "-c", script])
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        is_fenced = "bwrap" in words
        assert process.stdout.readline() == "hidden\n" or is_fenced
        lost = [one for one in psutil.process_iter(["cmdline"]) if "70212.5" in (one.info["cmdline"] or ())]
        assert lost or is_fenced
        leftovers.end_all((marker,))
        assert psutil.wait_procs(lost, timeout=5)[1] == []
    assert remains_of(marker) == []


def test_a_group_of_version_2_ends_with_what_is_in_it(
    marker: UUID, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The mechanics of version 2, also where its controllers are in use by version 1."""
    mount = next((each for each in hierarchies._mounts() if each.kind == "cgroup2"), None)
    if mount is None or not os.access(mount.point, os.W_OK):
        pytest.skip("no cgroup v2 to write in")
    try:
        (mount.point / f"ahp-{marker}").mkdir()
        (mount.point / f"ahp-{marker}").rmdir()
    except OSError:
        pytest.skip("no cgroup v2 to write in")
    monkeypatch.setattr(groups, "places", lambda: Places(2, {mount.point: []}))
    (group,) = groups.places().of(marker)  # type: ignore[union-attr]
    argv = [*groups.joined(marker, 100), "sh", "-c", "sleep 70213.5 & exec env -i setsid sleep 70213.5"]
    with subprocess.Popen(argv) as process:
        members = group / "cgroup.procs"
        psutil.Process(process.pid)
        while len(members.read_text().split()) < 2 or b"sleep" not in Path(f"/proc/{process.pid}/cmdline").read_bytes():
            assert process.poll() is None
        groups.end((marker,))
        assert process.wait(5) == -9
    assert not group.exists()


def test_where_no_groups_are_wanted_none_are_made(root: Path, marker: UUID, settings: Any) -> None:
    settings.AHP_CGROUP = "off"
    groups.places.cache_clear()
    try:
        assert "cgroup.procs" not in " ".join(sandbox.wrapped(Fence("acme", marker=marker), str(root), ["true"]))
        assert remains_of(marker) == []
    finally:
        groups.places.cache_clear()
