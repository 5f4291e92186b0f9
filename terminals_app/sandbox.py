"""What does a shell of a tenant get to see of the machine it runs on?

With `bubblewrap`: the tenant's directory without other sessions' own ones, a read-only system, a `/tmp` and a home of its own, its own
processes, and no network unless the tenant's settings say `"network": true`. With `local`: everything that the service's own
user sees. Source: DESIGN.md section 7.
"""

from __future__ import annotations

import functools
import logging
import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from django.conf import settings

from ahp_platform.workspaces import paths
from terminals_app.shell_integration import start_up

logger = logging.getLogger(__name__)

BUBBLEWRAP, LOCAL, AUTO = "bubblewrap", "local", "auto"
KINDS: Final = (BUBBLEWRAP, LOCAL, AUTO)

HOME = "/home/user"
SCRIPTS = "/run/ahp-shell"

# Of the system's configuration only what programs need to run; no keys, no passwords.
SYSTEM: Final = ("/usr", "/opt")
LINKS: Final = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
# fmt: off
CONFIGURATION: Final = (
    "alternatives", "bash.bashrc", "ca-certificates", "ca-certificates.conf", "fish", "fonts", "gai.conf",
    "gitconfig", "group", "host.conf", "hosts", "inputrc", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime",
    "magic", "mime.types", "nsswitch.conf", "passwd", "pki", "profile", "profile.d", "protocols", "resolv.conf",
    "services", "shells", "ssl", "terminfo", "timezone", "vim", "zsh",
)
# fmt: on

LIMITS: Final = ("--core=0", "--nofile=4096:4096", "--nproc=4096:4096")


class NoSandbox(Exception):
    """Nothing may be run here; the message is for people."""


@dataclass(frozen=True, slots=True)
class Fence:
    """For whom it is drawn: the tenant, the session whose own directories are inside, and whether there is a network."""

    slug: str
    own: str | None = None
    network: bool = False


def kind() -> str:
    """The kind in use; raises `NoSandbox` where the one that is asked for does not work."""
    wanted: str = settings.AHP_SANDBOX
    if wanted not in KINDS:
        raise NoSandbox(f"Shells are switched off: AHP_SANDBOX must be one of {', '.join(KINDS)}.")
    if wanted == LOCAL or (wanted == AUTO and not works()):
        return LOCAL
    if works():
        return BUBBLEWRAP
    raise NoSandbox(
        "Shells are switched off: this machine has no working bubblewrap. Install it, or, if everybody who uses this service"
        " may use this machine's account, start it with AHP_SANDBOX=local."
    )


def announce() -> None:
    """At start-up: say it where shells are not fenced, or not there."""
    try:
        if kind() == LOCAL:
            logger.warning("shells run without a sandbox, as this very user: fit for one's own machine only")
    except NoSandbox as error:
        logger.warning("%s", error)


def wrapped(fence: Fence, directory: str, argv: Sequence[str]) -> list[str]:
    """The command line that runs `argv` inside the fence, in that directory, with the environment that it is given."""
    limited = ["prlimit", *LIMITS, "--"] if shutil.which("prlimit") else []
    if kind() == LOCAL:
        return [*limited, *argv]
    return [*limited, *_bubblewrap(fence), "--chdir", directory, "--", *argv]


def home(root: Path) -> str:
    """The home directory that shells are told."""
    return HOME if kind() == BUBBLEWRAP else os.environ.get("HOME", str(root))


def scripts() -> str:
    """Where shells find our start-up files."""
    return SCRIPTS if kind() == BUBBLEWRAP else str(start_up.SCRIPTS)


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


NAMESPACES: Final = (
    *("--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"),
    *("--cap-drop", "ALL", "--die-with-parent", "--hostname", "workspace"),
)


def _bubblewrap(fence: Fence) -> list[str]:
    root = paths.root(fence.slug)
    words = ["bwrap", *NAMESPACES, *([] if fence.network else ["--unshare-net"])]
    for path in SYSTEM:
        words += ["--ro-bind-try", path, path]
    for link in map(Path, LINKS):
        if link.is_symlink():
            words += ["--symlink", str(link.readlink()), str(link)]
        elif link.exists():
            words += ["--ro-bind", str(link), str(link)]
    for name in CONFIGURATION:
        words += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    words += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--tmpfs", "/run", "--dir", HOME]  # noqa: S108
    words += ["--ro-bind", str(start_up.SCRIPTS), SCRIPTS, "--bind", str(root), str(root)]
    return words + _own_directories(root, fence.own)


def _own_directories(root: Path, own: str | None) -> list[str]:
    """Other sessions' own directories are not there. The names are ours alone, so no link of a tenant's is followed."""
    words: list[str] = []
    for folder in sorted(paths.OWN_DIRECTORIES):
        words += ["--tmpfs", str(root / folder)]
        mine = root / folder / paths.own_directory_name(own) if own else None
        if mine is not None and mine.is_dir() and not mine.is_symlink():
            words += ["--bind", str(mine), str(mine)]
    return words
