"""Which kind of sandbox is in use here, and does it work?"""

from __future__ import annotations

import functools
import shutil
import subprocess
from typing import Final

from django.conf import settings

BUBBLEWRAP, LOCAL, AUTO = "bubblewrap", "local", "auto"
KINDS: Final = (BUBBLEWRAP, LOCAL, AUTO)

NAMESPACES: Final = (
    *("--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"),
    *("--cap-drop", "ALL", "--die-with-parent", "--hostname", "workspace"),
)


class NoSandbox(Exception):
    """Nothing may be run here; the message is for people."""


def kind() -> str:
    """The kind in use; raises `NoSandbox` where the one that is asked for does not work."""
    wanted: str = settings.AHP_SANDBOX
    if wanted not in KINDS:
        raise NoSandbox(f"Programs are switched off: AHP_SANDBOX must be one of {', '.join(KINDS)}.")
    if wanted == LOCAL or (wanted == AUTO and not works()):
        return LOCAL
    if works():
        return BUBBLEWRAP
    raise NoSandbox(
        "Programs are switched off: this machine has no working bubblewrap. Install it, or, if everybody who uses this"
        " service may use this machine's account, start it with AHP_SANDBOX=local."
    )


@functools.cache
def works() -> bool:
    """Whether bubblewrap can make the namespaces that we need, here and now."""
    if shutil.which("bwrap") is None:
        return False
    trial = ["bwrap", *NAMESPACES, "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "true"]
    try:
        return subprocess.run(trial, capture_output=True, timeout=10).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False
