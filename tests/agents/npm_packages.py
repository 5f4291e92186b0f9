"""Where do tests get an agent from the npm registry? Installed once, outside of the sources."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import warnings
from pathlib import Path

import pytest

CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "ahp-tests" / "npm"
WITHIN_S = 180


def installed(package: str, version: str) -> Path:
    """The folder that the package is installed in; skips the test, loudly, where there is no Node.js or no registry."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        _skip(f"{package} is not tested: there is no Node.js with npm on this machine")
    place = CACHE / f"{package.replace('/', '+')}-{version}"
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / f"{place.name}.lock").open("w") as lock:
        # Workers of one run, and runs side by side, install it once.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not place.exists():
            _install(f"{package}@{version}", place)
    return place


def _install(what: str, place: Path) -> None:
    making = place.with_name(f"{place.name}.new")
    shutil.rmtree(making, ignore_errors=True)
    argv = ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(making), what]
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=WITHIN_S)
    except subprocess.TimeoutExpired:
        _skip(f"{what} is not tested: npm did not finish within {WITHIN_S} s")
    if done.returncode:
        _skip(f"{what} is not tested: {done.stderr.strip()[-300:]}")
    making.rename(place)


def _skip(reason: str) -> None:
    warnings.warn(reason, stacklevel=3)
    pytest.skip(reason)
