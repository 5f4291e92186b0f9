"""What does a program of a tenant get to see of the machine it runs on?

With `bubblewrap`: the tenant's directory without other sessions' own ones, a read-only system, a `/tmp` and a home of its own, its own
processes, and no network unless its fence says so. With `local`: everything that the service's own user sees. Source: DESIGN.md
section 7.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from uuid import UUID

from django.conf import settings

from ahp_platform.sandbox import groups, network
from ahp_platform.sandbox.kinds import BUBBLEWRAP, LOCAL, NAMESPACES, NoSandbox, kind
from ahp_platform.workspaces import paths

HOME = "/home/user"

# Of the system's configuration only what programs need to run; no keys, no passwords.
SYSTEM: Final = ("/usr", "/opt")
LINKS: Final = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
# fmt: off
CONFIGURATION: Final = (
    "alternatives", "bash.bashrc", "ca-certificates", "ca-certificates.conf", "fish", "fonts", "gai.conf",
    "gitconfig", "group", "host.conf", "hosts", "inputrc", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime",
    "magic", "mime.types", "nsswitch.conf", "passwd", "pki", "profile", "profile.d", "protocols",
    "services", "shells", "ssl", "terminfo", "timezone", "vim", "zsh",
)
# fmt: on

LIMITS: Final = ("--core=0", "--nofile=4096:4096", "--nproc=4096:4096")


@dataclass(frozen=True, slots=True)
class Fence:
    """For whom it is drawn: the tenant, the session whose own directories are inside, and whether there is a network.

    `readable` and `writable` are what the program needs besides, at the same paths as outside: an installation, a home. `marker`
    names the group in which it is limited, which `leftovers.end_all` removes; `memory_mb` is for all of it together, 0 the usual.
    """

    slug: str
    own: str | None = None
    network: bool = False
    readable: Sequence[Path] = ()
    writable: Sequence[Path] = ()
    marker: UUID | None = None
    memory_mb: int = 0


def wrapped(fence: Fence, directory: str, argv: Sequence[str]) -> list[str]:
    """The command line that runs `argv` inside the fence, in that directory, with the environment that it is given.

    Raises `NoSandbox` where there is none.
    """
    fenced = [*argv] if kind() == LOCAL else [*_bubblewrap(fence), "--chdir", directory, "--", *argv]
    limited = ["prlimit", *LIMITS, "--"] if shutil.which("prlimit") else []
    return [*_group(fence), *limited, *fenced]


def _group(fence: Fence) -> list[str]:
    if fence.marker is None:
        return []
    try:
        return groups.joined(fence.marker, fence.memory_mb or settings.AHP_SANDBOX_MEMORY_MB)
    except OSError as error:
        raise NoSandbox(f"The limits of the program cannot be set: {error.strerror}.") from error


def started_in(fence: Fence, directory: str) -> str:
    """The working directory of the process that runs the command line.

    Outside of the sandbox the directory may be a link that leads out; inside it is entered by the kernel's own rules.
    """
    return directory if kind() == LOCAL else str(paths.root(fence.slug))


def home(root: Path) -> str:
    """The home directory that shells are told."""
    return HOME if kind() == BUBBLEWRAP else os.environ.get("HOME", str(root))


def _bubblewrap(fence: Fence) -> list[str]:
    root = paths.root(fence.slug)
    words = [*network.entered(), "bwrap", *NAMESPACES] if fence.network else ["bwrap", *NAMESPACES, "--unshare-net"]
    for path in SYSTEM:
        words += ["--ro-bind-try", path, path]
    for link in map(Path, LINKS):
        if link.is_symlink():
            words += ["--symlink", str(link.readlink()), str(link)]
        elif link.exists():
            words += ["--ro-bind", str(link), str(link)]
    for name in CONFIGURATION:
        words += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    words += ["--ro-bind-try", str(network.resolver()), "/etc/resolv.conf"]
    words += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--tmpfs", "/run", "--dir", HOME]  # noqa: S108
    words += _besides(fence, root.parent)
    return [*words, "--bind", str(root), str(root), *_own_directories(root, fence.own)]


def _besides(fence: Fence, workspaces: Path) -> list[str]:
    words: list[str] = []
    for option, places in (("--ro-bind", fence.readable), ("--bind", fence.writable)):
        for place in places:
            # Every tenant's directory is in there: nothing that holds it, or is in it, comes inside.
            real = place.resolve()
            if workspaces.is_relative_to(real) or real.is_relative_to(workspaces):
                raise NoSandbox(
                    "What the program needs holds the tenants' directories, or is in them: it cannot be fenced."
                )
            words += [option, str(place), str(place)]
    return words


def _own_directories(root: Path, own: str | None) -> list[str]:
    """Other sessions' own directories are not there. The names are ours alone, so no link of a tenant's is followed."""
    words: list[str] = []
    for folder in sorted(paths.OWN_DIRECTORIES):
        words += ["--tmpfs", str(root / folder)]
        mine = root / folder / paths.own_directory_name(own) if own else None
        if mine is not None and mine.is_dir() and not mine.is_symlink():
            words += ["--bind", str(mine), str(mine)]
    return words
