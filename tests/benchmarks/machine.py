"""On what was it measured?"""

from __future__ import annotations

import os
import platform
import subprocess
from importlib.metadata import version
from pathlib import Path
from typing import Any

import psutil
import psycopg

DISTRIBUTIONS = ("django", "channels", "uvicorn", "uvloop", "websockets", "msgspec", "psycopg", "redis")
SERVER_SETTINGS = ("server_version", "fsync", "synchronous_commit", "shared_buffers")


def facts(database_url: str) -> dict[str, Any]:
    """What somebody needs to know to compare figures with these."""
    with psycopg.connect(database_url) as conn:
        postgres = {name: _setting(conn, name) for name in SERVER_SETTINGS}
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory_gib": round(psutil.virtual_memory().total / 2**30, 1),
        "system": platform.platform(),
        "python": platform.python_version(),
        "distributions": {name: version(name) for name in DISTRIBUTIONS},
        "postgresql": postgres,
        "commit": _commit(),
    }


def _setting(conn: psycopg.Connection[tuple[Any, ...]], name: str) -> str:
    row = conn.execute("SELECT current_setting(%s)", (name,)).fetchone()
    return str(row[0]) if row else ""


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next(
        (line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.processor()
    )


def _commit() -> str:
    try:
        asked = subprocess.run(["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return asked.stdout.strip()
