"""How do writers of one place wait for each other, in whichever process they are?

A lock is a file outside of everybody's tree, locked with flock: the kernel lets go of it when its holder dies. Places
share a bounded number of them. Source: PROTOCOL.md section 12 (`ifMatch`, `append`).
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from ahp_platform.workspaces.fence import Entry

STRIPES = 256


@contextmanager
def held(folder: Path, *entries: Entry) -> Iterator[None]:
    """Be the only one of us who changes what stands at these entries."""
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        # In one order for everybody: two who need the same two never wait for each other.
        for stripe in sorted({_stripe(entry) for entry in entries}):
            fd = os.open(folder / f"{stripe:03}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            stack.callback(os.close, fd)
            fcntl.flock(fd, fcntl.LOCK_EX)
        yield


def _stripe(entry: Entry) -> int:
    directory = os.fstat(entry.parent)
    place = f"{directory.st_dev}:{directory.st_ino}:{entry.name}".encode(errors="surrogateescape")
    return int.from_bytes(hashlib.blake2b(place, digest_size=2).digest()) % STRIPES
