"""Where do the files of an agent lie?

Below `AHP_DATA_DIR/agents/<provider>/`: `versions/<folder>` holds an installation each, `homes/<tenant>` what the agent keeps for
itself. Workers and hosts see the same files.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from django.conf import settings

# Where the package managers put programs, below an installation.
PROGRAMS = ("node_modules/.bin", "bin")


def of_agent(provider: str) -> Path:
    """Everything of an agent."""
    return Path(settings.AHP_DATA_DIR) / "agents" / provider


def versions(provider: str) -> Path:
    """Its installations."""
    return of_agent(provider) / "versions"


def installation(provider: str, folder: str) -> Path | None:
    """The one in use; None where nothing is installed."""
    return versions(provider) / folder if folder else None


def home(provider: str, tenant: str) -> Path:
    """Its own directory in a tenant, made where it is missing."""
    path = of_agent(provider) / "homes" / tenant
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path


def program_path(installed: Path | None) -> str:
    """The PATH on which the agent's program and the programs that it starts are found."""
    own = [str(installed / place) for place in PROGRAMS] if installed else []
    return os.pathsep.join([*own, os.environ.get("PATH", os.defpath)])


def program(name: str, path: str) -> str | None:
    """The file that a command's first word means, on such a PATH; None where there is none that can be run."""
    return shutil.which(name, path=path)


def readable(installed: Path | None) -> list[Path]:
    """What a program of an installation reads besides the system. Its Python may be one that a person built at home."""
    if installed is None:
        return []
    python = Path(sys.base_prefix)
    return [installed, *([python] if (installed / "pyvenv.cfg").exists() and not python.is_relative_to("/usr") else [])]
