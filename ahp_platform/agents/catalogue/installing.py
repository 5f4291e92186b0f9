"""How does a package get from its registry into a folder of its own?

By the package manager that people use themselves, with its own settings (registry, proxy, certificates) and nothing else of our
environment: code of packages must not find our keys there. Output and time are bounded. Blocks; runs in Celery workers alone.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import Distribution
from pathlib import Path
from typing import NamedTuple

from ahp_platform.agents.catalogue.bounded_run import Unfinished, run

INSTALL_S = 900.0

PASSED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR",
    "REQUESTS_CA_BUNDLE", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy")  # fmt: skip
PASSED_ON_PREFIXES = ("npm_config_", "NPM_CONFIG_", "PIP_")

NO_NPM = "npm is not on this machine. Install Node.js 20 or newer wherever Celery workers and hosts run, then install the agent again."
NO_PIP = "pip is not in the service's own Python; put it there (python -m ensurepip), then install the agent again."

MAX_LINES = 5
_ERROR = re.compile(r"(?:npm (?:error|ERR!) (?:\d{3}\s+)?|ERROR: )(.*\S)")
_ASIDES = ("A complete log", "Note that", "tarball, folder", "code ", "404")

Say = Callable[[str], None]


class InstallFailed(Exception):
    """The package is not there; the message is for operators."""


class Package(NamedTuple):
    """What to install; no version is the newest. `scripts`: whether code of packages may run meanwhile."""

    kind: str
    name: str
    version: str = ""
    scripts: bool = False


def install(package: Package, folder: Path, say: Say) -> str:
    """Fill a folder that is not there yet; returns the version. Raises `InstallFailed` and leaves no folder."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        (_npm if package.kind == "npm" else _pip)(package, folder, say)
        return _version(package, folder)
    except (Unfinished, OSError) as failure:
        shutil.rmtree(folder, ignore_errors=True)
        raise InstallFailed(str(failure)) from failure
    except InstallFailed:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _npm(package: Package, folder: Path, say: Say) -> None:
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        raise InstallFailed(NO_NPM)
    folder.mkdir()
    wanted = f"{package.name}@{package.version}" if package.version else package.name
    quiet = ("--no-audit", "--no-fund", "--no-progress", "--no-update-notifier")
    scripts = () if package.scripts else ("--ignore-scripts",)
    _run((npm, "install", "--prefix", str(folder), *quiet, *scripts, "--", wanted), say)


def _pip(package: Package, folder: Path, say: Say) -> None:
    say("Making a Python environment")
    _run((sys.executable, "-m", "venv", "--without-pip", str(folder)), say)
    pip = (sys.executable, "-m", "pip", "--python", str(folder / "bin" / "python"))
    wanted = f"{package.name}=={package.version}" if package.version else package.name
    # Only an archive of sources brings code that runs while it is installed.
    scripts = () if package.scripts else ("--only-binary", ":all:")
    _run(
        (*pip, "install", "--no-input", "--disable-pip-version-check", "--progress-bar", "off", *scripts, "--", wanted),
        say,
    )


def _run(argv: Sequence[str], say: Say) -> None:
    code, output = run(argv, environment(), INSTALL_S, say)
    if code:
        if "No module named pip" in output:
            raise InstallFailed(NO_PIP)
        raise InstallFailed(_reason(output) or f"{Path(argv[0]).name} ended with {code}")


def environment() -> dict[str, str]:
    """What package managers are told of ours."""
    return {
        name: value for name, value in os.environ.items() if name in PASSED_ON or name.startswith(PASSED_ON_PREFIXES)
    }


def _reason(output: str) -> str:
    """What the package manager itself calls the error, else the end of what it said."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [found[1] for line in lines if (found := _ERROR.match(line)) and not found[1].startswith(_ASIDES)]
    return "\n".join(errors[:MAX_LINES] or lines[-MAX_LINES:])


def _version(package: Package, folder: Path) -> str:
    if package.kind == "npm":
        told = json.loads((folder / "node_modules" / package.name / "package.json").read_text())
        return str(told["version"])
    places = [str(path) for path in folder.glob("lib/python*/site-packages")]
    name = package.name.partition("[")[0]
    found = next(iter(Distribution.discover(name=name, path=places)), None)
    if found is None:
        raise InstallFailed("pip said that it was done, but the package is not there.")
    return found.version
