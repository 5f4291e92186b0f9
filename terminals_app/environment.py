"""What does a shell find in its environment, and which shell is it?

Nothing of the service's own environment but what names its language, time and programs: secrets stay where they are.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from uuid import UUID

from django.conf import settings

from ahp_platform.sandbox.leftovers import VARIABLE

PASSED_ON = ("LANG", "LC_ALL", "LC_CTYPE", "TZ")
SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def shell() -> str:
    """The shell to run: the configured one, or the best that there is."""
    candidates = (settings.AHP_SHELL, os.environ.get("SHELL", ""), "bash", "sh")
    found = (shutil.which(each, path=SYSTEM_PATH) for each in candidates if each)
    return next(filter(None, found), "/bin/sh")


def environment(marker: UUID, home: str, shell_path: str) -> dict[str, str]:
    """The environment of a terminal's processes."""
    passed: Mapping[str, str] = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    return {
        "LANG": "C.UTF-8",
        **passed,
        "PATH": SYSTEM_PATH,
        "HOME": home,
        "USER": "user",
        "SHELL": shell_path,
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "TERM_PROGRAM": "ahp",
        VARIABLE: str(marker),
    }


def display_name(path: str) -> str:
    """The name of a program as people know it."""
    return Path(path).name
