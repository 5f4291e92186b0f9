"""What is one program that we start, and how does it never outlive us?"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ahp_platform.local import PROJECT

PR_SET_PDEATHSIG = 1


@dataclass(frozen=True, slots=True)
class Program:
    """A command with all that it needs. `account` is the (uid, gid) it runs as; None means ours."""

    name: str
    argv: Sequence[str]
    env: Mapping[str, str] = field(default_factory=dict)
    account: tuple[int, int] | None = None
    stop_signal: signal.Signals = signal.SIGTERM
    grace_s: float = 15.0
    log: Path | None = None

    def options(self) -> dict[str, Any]:
        """Keyword arguments for `subprocess.Popen` and for `asyncio.create_subprocess_exec` alike.

        A session of its own: Ctrl-C reaches us alone, and we end the programs in order.
        """
        options: dict[str, Any] = {
            "cwd": "/" if self.account else PROJECT,
            "env": {**os.environ, **self.env},
            "start_new_session": True,
            "preexec_fn": _dies_with_parent(self.stop_signal),
            "stdin": -3,
        }
        if self.account is not None:
            uid, gid = self.account
            options |= {"user": uid, "group": gid, "extra_groups": []}
        return options


def manage(command: str, *arguments: str) -> list[str]:
    """The command line that runs one of our own commands."""
    return [sys.executable, str(PROJECT / "manage.py"), command, *arguments]


def _dies_with_parent(stop_signal: signal.Signals) -> Callable[[], None] | None:
    """Ask the kernel to stop the child when we die, however we die. Only Linux can."""
    if sys.platform != "linux":
        return None
    libc, parent = ctypes.CDLL(None), os.getpid()

    def ask() -> None:
        # After the change of user, which would clear it; and we may have died before it was set.
        libc.prctl(PR_SET_PDEATHSIG, int(stop_signal))
        if os.getppid() != parent:
            os._exit(1)

    return ask
