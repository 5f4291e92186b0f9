"""As whom does an embedded server run, and where is its program? As ourselves, or unprivileged where we are root."""

from __future__ import annotations

import os
import pwd
import stat
from importlib.util import find_spec
from pathlib import Path

# PostgreSQL refuses to run as root. The first of these that the machine has is taken.
UNPRIVILEGED = ("postgres", "nobody")

Account = tuple[int, int]


class EmbeddedServerError(Exception):
    """A server cannot start by itself here; the message says why and what to do."""


def server_account() -> Account | None:
    """The (uid, gid) that servers run as; None while we are not root."""
    if os.geteuid() != 0:
        return None
    for name in UNPRIVILEGED:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return entry.pw_uid, entry.pw_gid
    raise EmbeddedServerError(
        f"running as root needs one of the accounts {', '.join(UNPRIVILEGED)}, or DATABASE_URL set"
    )


def private_folder(path: Path, account: Account | None) -> None:
    """Make a folder that only its server can read, and let the server reach it."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.chmod(0o700)
    if account is not None:
        os.chown(path, *account)
        let_pass(path, account)


def let_pass(path: Path, account: Account | None) -> None:
    """Open the way to a path for the server's account: pass through (never list) the folders above it."""
    if account is None:
        return
    for folder in path.resolve().parents:
        status = folder.stat()
        if status.st_uid != account[0] and not status.st_mode & stat.S_IXOTH:
            folder.chmod(stat.S_IMODE(status.st_mode) | stat.S_IXOTH)


def shipped(package: str, pattern: str) -> Path:
    """The program inside a wheel. The wheel is not imported: it would set up more than we use."""
    spec = find_spec(package)
    folders = spec.submodule_search_locations or [] if spec else []
    found = sorted(match for folder in folders for match in Path(folder).glob(pattern))
    if not found:
        raise EmbeddedServerError(
            f"{package} (the extra `embedded`) is not installed for this machine; name the server instead"
        )
    return found[-1]
