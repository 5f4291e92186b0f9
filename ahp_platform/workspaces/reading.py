"""What is at a place: a file's bytes, a directory's entries, and what is known of either?

Synchronous: runs in a thread. Raises `OSError`s. Source: PROTOCOL.md section 12.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import merge

from ahp_platform.workspaces.beneath import LOOK
from ahp_platform.workspaces.fence import Fence, NotAFile
from ahp_platform.workspaces.paths import Names
from ahp_platform.workspaces.replacing import is_passing

CHUNK_BYTES = 256 * 1024
RUN = 5_000

FILE, DIRECTORY, SYMLINK = "file", "directory", "symlink"


@dataclass(frozen=True, slots=True)
class Found:
    """What stands at a place, by its real names; `kind` is the protocol's `ResourceType`."""

    names: Names
    kind: str
    status: os.stat_result


def etag(status: os.stat_result) -> str:
    """Another text after every change of a file. Writers of ours stamp the time to the nanosecond, so that a reused
    inode number cannot make two versions look alike.
    """
    return f"{status.st_ino:x}-{status.st_mtime_ns:x}-{status.st_size:x}"


def chunks(fence: Fence, names: Sequence[str], limit: int) -> Iterator[bytes]:
    """The file's bytes; raises EFBIG where there are more than `limit`."""
    with fence.file(names) as file:
        if os.fstat(file.fd).st_size > limit:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
        read = 0
        while chunk := os.read(file.fd, CHUNK_BYTES):
            read += len(chunk)
            if read > limit:
                raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
            yield chunk


def find(fence: Fence, names: Sequence[str], *, follow: bool) -> Found:
    """What is there: at the end of the links, or with `follow` off the link itself."""
    if follow or not names:
        with fence.opened(names, LOOK) as opened:
            return _found(opened.names, os.fstat(opened.fd))
    with fence.entry(names, follow=False) as entry:
        status = entry.status()
        if status is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        return _found(entry.names, status)


def entries(fence: Fence, names: Sequence[str]) -> tuple[Names, list[tuple[str, str]]]:
    """The directory's real names, and name and kind (file or directory) of what is in it, by name."""
    with fence.opened(names, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC) as directory:
        with os.scandir(directory.fd) as found:
            kinds = [(each.name, _kind(fence, directory.names, each)) for each in found if not is_passing(each.name)]
        return directory.names, _in_order(kinds)


def _in_order(entries: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Sorted run by run: one sort of hundreds of thousands would let no other thread of the process run meanwhile."""
    runs = [sorted(entries[start : start + RUN]) for start in range(0, len(entries), RUN)]
    return list(merge(*runs))


def _kind(fence: Fence, directory: Names, each: os.DirEntry[str]) -> str:
    if not each.is_symlink():
        return DIRECTORY if each.is_dir(follow_symlinks=False) else FILE
    try:
        with fence.opened((*directory, each.name), LOOK | os.O_DIRECTORY):
            return DIRECTORY
    except OSError:
        return FILE


def _found(names: Names, status: os.stat_result) -> Found:
    if stat.S_ISREG(status.st_mode):
        return Found(names, FILE, status)
    if stat.S_ISDIR(status.st_mode):
        return Found(names, DIRECTORY, status)
    if stat.S_ISLNK(status.st_mode):
        return Found(names, SYMLINK, status)
    raise NotAFile("neither a file nor a directory")
