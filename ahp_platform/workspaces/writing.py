"""How do bytes get into a file so that readers see the old file or the new one, and nobody's change is lost?

Under a lock that holds against all our processes, the new file is composed beside the old one and renamed over it.
Bytes that go to the very end are appended in place in one write: other programs may append to the same file.
Synchronous: runs in a thread. Raises `OSError`s. Source: PROTOCOL.md section 12.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ahp_platform.workspaces import locks, replacing
from ahp_platform.workspaces.fence import Entry, Fence
from ahp_platform.workspaces.reading import etag

TRUNCATE, APPEND, INSERT = "truncate", "append", "insert"


class BadPosition(ValueError):
    """The position is beyond the end of the file, counted from whichever side."""


class Changed(OSError):
    """The file is not the one that the caller has seen."""


@dataclass(frozen=True, slots=True)
class Change:
    """What is to be written: `position` counts bytes from the start, for `append` from the end."""

    data: bytes
    mode: Literal["truncate", "append", "insert"] = "truncate"
    position: int = 0
    create_only: bool = False
    if_match: str | None = None


def write(fence: Fence, names: Sequence[str], change: Change) -> None:
    """Make the change; raises `Changed` or `FileExistsError` where its conditions do not hold, and `BadPosition`."""
    # What is only created is nowhere written through a link, not even through one that leads nowhere.
    with fence.entry(names, follow=not change.create_only) as entry:
        fence.require_changeable(entry.names)
        with locks.held(fence.locks, entry):
            _write(entry, change)


def _write(entry: Entry, change: Change) -> None:
    if change.create_only and entry.status() is not None:
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
    try:
        old = entry.open_file()
    except FileNotFoundError:
        old = None
    try:
        _require_match(old, change.if_match)
        if old is not None and change.mode == APPEND and not change.position:
            _append(entry, old, change.data)
        else:
            _replace(entry, old, change)
    finally:
        if old is not None:
            os.close(old)


def _require_match(old: int | None, wanted: str | None) -> None:
    if wanted is not None and (old is None or etag(os.fstat(old)) != wanted):
        raise Changed(errno.ESTALE, "the file has changed")


def _append(entry: Entry, old: int, data: bytes) -> None:
    fd = entry.open_file(os.O_WRONLY | os.O_APPEND | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not os.path.samestat(os.fstat(fd), os.fstat(old)):
            raise Changed(errno.ESTALE, "the file has changed")
        _append_all(fd, data)
    finally:
        os.close(fd)


def _append_all(fd: int, data: bytes) -> None:
    start, written = os.fstat(fd).st_size, 0
    try:
        while written < len(data):
            written += os.write(fd, memoryview(data)[written:])
        os.fsync(fd)
    except OSError:
        # The disk is full in the middle: our part goes, unless another program has appended behind it.
        if os.fstat(fd).st_size == start + written:
            os.ftruncate(fd, start)
        raise


def _replace(entry: Entry, old: int | None, change: Change) -> None:
    size = os.fstat(old).st_size if old is not None else 0
    at = size - change.position if change.mode == APPEND else change.position
    if not 0 <= at <= size:
        raise BadPosition
    mode = stat.S_IMODE(os.fstat(old).st_mode) & 0o777 if old is not None else None
    with replacing.passing(entry) as made:
        fd = create(made, mode)
        try:
            if old is not None:
                copy_range(old, fd, 0, at)
            _write_all(fd, change.data)
            if old is not None and change.mode != TRUNCATE:
                copy_range(old, fd, at, size)
            finish(fd)
        finally:
            os.close(fd)
        replacing.put(made, entry, new=change.create_only)


def create(entry: Entry, mode: int | None) -> int:
    """A descriptor of a new file, with the given permissions or the usual ones."""
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    fd = os.open(entry.name, flags, 0o666, dir_fd=entry.parent)
    if mode is not None:
        os.fchmod(fd, mode)
    return fd


def copy_range(source: int, target: int, start: int, end: int) -> None:
    """Append the source's bytes from `start` up to `end`, or to where it really ends."""
    while start < end and (sent := os.sendfile(target, source, start, end - start)):
        start += sent


def finish(fd: int) -> None:
    """The file is complete: stamp it (see `etag`), and have it on the disk before its name is."""
    now = time.time_ns()
    os.utime(fd, ns=(now, now))
    os.fsync(fd)


def _write_all(fd: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(fd, rest) :]
