"""Does a package arrive whole or not at all, within bounds, and without our secrets?"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import psutil
import pytest

from ahp_platform.agents.catalogue import attending, folders, installing
from ahp_platform.agents.catalogue.bounded_run import Unfinished, run
from ahp_platform.agents.catalogue.installing import InstallFailed, Package, install

HERE = {"PATH": os.environ["PATH"]}


def said(_: str) -> None:
    """Nobody listens."""


@pytest.mark.skipif(shutil.which("npm") is None, reason="NOT TESTED: there is no npm here")
def test_an_npm_package_arrives_with_its_program(tmp_path: Path) -> None:
    folder = tmp_path / "one"
    assert install(Package("npm", "semver", "7.6.0"), folder, said) == "7.6.0"
    program = folders.program("semver", folders.program_path(folder))
    assert program == str(folder / "node_modules/.bin/semver")
    assert subprocess.check_output([program, "1.2.3"], text=True) == "1.2.3\n"


def test_a_python_package_arrives_with_its_program_in_an_environment_of_its_own(tmp_path: Path) -> None:
    folder = tmp_path / "one"
    assert install(Package("pip", "tabulate", "0.9.0"), folder, said) == "0.9.0"
    program = folders.program("tabulate", folders.program_path(folder))
    assert program == str(folder / "bin/tabulate")
    assert "a  b" in subprocess.check_output([program], input="a b\n", text=True)


@pytest.mark.parametrize("kind", ["npm", "pip"])
def test_what_does_not_exist_leaves_nothing_but_a_reason(tmp_path: Path, kind: str) -> None:
    if shutil.which(kind) is None and kind == "npm":
        pytest.skip("NOT TESTED: there is no npm here")
    with pytest.raises(InstallFailed) as failure:
        install(Package(kind, "ahp-platform-tests-no-such-package"), tmp_path / "one", said)
    assert "ahp-platform-tests-no-such-package" in str(failure.value)
    assert len(str(failure.value).splitlines()) <= installing.MAX_LINES
    assert list(tmp_path.iterdir()) == []


def test_who_lacks_what_a_script_would_have_made_reads_how_to_let_it_run() -> None:
    wrote = "It wrote: Error: the postinstall script was not run."
    assert attending.advised(wrote, False) == f"{attending.SCRIPTS_ARE_OFF} {wrote}"
    assert attending.advised(wrote, True) == wrote
    assert attending.advised("It wrote: no key", False) == "It wrote: no key"


def test_without_node_the_operator_reads_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InstallFailed, match=r"Install Node\.js"):
        install(Package("npm", "semver"), tmp_path / "one", said)


def test_package_managers_learn_nothing_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "https://mirror.example/simple")
    told = installing.environment()
    assert told["PIP_INDEX_URL"] == "https://mirror.example/simple"
    assert not [name for name in told if name.startswith(("AHP_", "DATABASE", "REDIS", "DJANGO"))]


def test_what_takes_too_long_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    with pytest.raises(Unfinished, match="longer than"):
        run(("sh", "-c", f"sleep 1000 & echo $! > {pids}; wait"), HERE, 1, said)
    psutil.wait_procs([psutil.Process(pid) for pid in found(pids)], timeout=10)
    assert found(pids) == []


def test_what_is_left_in_the_background_holds_nobody_up(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    assert run(("sh", "-c", f"sleep 1000 & echo $! > {pids}; echo done"), HERE, 600, said) == (0, "done\n")
    psutil.wait_procs([psutil.Process(pid) for pid in found(pids)], timeout=10)
    assert found(pids) == []


def test_of_a_flood_the_end_is_kept() -> None:
    code, output = run(("sh", "-c", "yes | head -c 3000000; echo the end; exit 3"), HERE, 60, said)
    assert code == 3
    assert output.endswith("the end\n")
    assert len(output) <= 8 * 1024


def test_secrets_are_taken_out_of_what_is_kept() -> None:
    hidden = ['key-"with"-quotes', "key", ""]
    assert (
        attending.redacted('it said {"a": "key-\\"with\\"-quotes"}, and key', hidden) == 'it said {"a": "•••"}, and key'
    )


def found(pids: Path) -> list[int]:
    """Those of the processes that still run."""
    running = {process.pid for process in psutil.process_iter(["status"]) if process.info["status"] != "zombie"}
    return [int(pid) for pid in pids.read_text().split() if int(pid) in running]
