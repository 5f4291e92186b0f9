"""Does the script help a person whose machine lacks something?"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from ahp_platform.local import PROJECT

# What the script may use of a POSIX system.
TOOLS = ("cat", "cksum", "dirname", "env", "rm", "sh")


@pytest.fixture
def bare_machine(tmp_path: Path) -> Path:
    """A checkout on a machine with a shell and without Python."""
    (tmp_path / "bin").mkdir()
    for tool in TOOLS:
        (tmp_path / "bin" / tool).symlink_to(shutil.which(tool) or tool)
    for name in ("ahp", "requirements.lock", "pyproject.toml"):
        shutil.copy(PROJECT / name, tmp_path)
    return tmp_path


def ahp(machine: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    env = {"PATH": str(machine / "bin"), "HOME": str(machine)}
    return subprocess.run(
        [machine / "ahp", *arguments], env=env, cwd="/", capture_output=True, text=True, timeout=30, check=False
    )


def fake_python(machine: Path, script: str) -> None:
    path = machine / "bin" / "python3"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def test_help_needs_no_python(bare_machine: Path) -> None:
    done = ahp(bare_machine)
    assert done.returncode == 0
    assert done.stdout.startswith("usage: ./ahp")


def test_a_machine_without_python_is_told_what_it_needs(bare_machine: Path) -> None:
    done = ahp(bare_machine, "up")
    assert done.returncode == 1
    assert "Python 3.11" in done.stderr


def test_a_shim_without_a_python_behind_it_does_not_count(bare_machine: Path) -> None:
    fake_python(bare_machine, "echo 'python3: command not found' >&2; exit 127")
    assert "Python 3.11" in ahp(bare_machine, "up").stderr


def test_a_python_without_venv_leads_to_advice_and_leaves_no_half_made_environment(bare_machine: Path) -> None:
    fake_python(bare_machine, '[ "$1" = -m ] && exit 1; exit 0')
    done = ahp(bare_machine, "up")
    assert done.returncode == 1
    assert "python3-venv" in done.stderr
    assert not (bare_machine / ".venv").exists()


def test_the_lock_names_no_place_to_download_from() -> None:
    for lock in (PROJECT / "requirements.lock", PROJECT / "docker" / "requirements.lock"):
        assert "://" not in lock.read_text()


def test_the_script_is_executable() -> None:
    assert os.access(PROJECT / "ahp", os.X_OK)
    assert os.access(PROJECT / ".ci" / "run", os.X_OK)
