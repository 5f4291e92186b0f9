"""How are directories made, and how do files and whole directories get to another place, or away?

Links in them are copied, moved and deleted as links; a link that is itself the source of a copy is followed.
Synchronous: runs in a thread. Raises `OSError`s. Source: PROTOCOL.md section 12.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from ahp_platform.workspaces import locks, replacing, writing
from ahp_platform.workspaces.beneath import ENTER, READ
from ahp_platform.workspaces.fence import Entry, Fence, NotAFile

_BELOW = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class IntoItself(ValueError):
    """A directory cannot be put into itself."""


def mkdir(fence: Fence, names: Sequence[str]) -> None:
    """Make the directory with its parents; raises `FileExistsError` where something else stands in the way."""
    made = len(names)
    while made and not _is_directory(fence, names[:made]):
        made -= 1
        if made <= fence.given:
            break
    for count in range(made + 1, len(names) + 1):
        with fence.entry(names[:count], follow=False) as entry:
            fence.require_changeable(entry.names)
            try:
                os.mkdir(entry.name, dir_fd=entry.parent)
            except FileExistsError:
                # Somebody else may just have made it; anything but a directory is in the way.
                if not _is_directory(fence, names[:count]):
                    raise


def _is_directory(fence: Fence, names: Sequence[str]) -> bool:
    try:
        with fence.opened(names, ENTER):
            return True
    except FileNotFoundError:
        return False
    except NotADirectoryError as error:
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)) from error


def delete(fence: Fence, names: Sequence[str], *, recursive: bool) -> None:
    """Remove what stands there; without `recursive` a directory must be empty."""
    with fence.entry(names, follow=False) as entry:
        fence.require_changeable(entry.names)
        with locks.held(fence.locks, entry):
            status = entry.status()
            if status is None:
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
            if stat.S_ISDIR(status.st_mode) and not recursive:
                os.rmdir(entry.name, dir_fd=entry.parent)
            else:
                replacing.remove(entry)


@dataclass(frozen=True, slots=True)
class Spot:
    """A place, and the fence around who goes there."""

    fence: Fence
    names: Sequence[str]

    @contextmanager
    def entry(self, *, follow: bool) -> Iterator[Entry]:
        """The name that it ends with, which may be changed."""
        with self.fence.entry(self.names, follow=follow) as entry:
            self.fence.require_changeable(entry.names)
            yield entry

    def path(self, real: Sequence[str]) -> tuple[str, ...]:
        """Where a place within the same fence is on this machine, by its real names."""
        return (*self.fence.root.parts, *real)


def move(source: Spot, destination: Spot, *, new: bool) -> None:
    """Move what stands there, a link as the link it is; `new`: only where nothing stands at the destination."""
    with (
        source.entry(follow=False) as start,
        destination.entry(follow=False) as end,
        locks.held(destination.fence.locks, start, end),
    ):
        if start.status() is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        here, there = source.path(start.names), destination.path(end.names)
        _require_apart(here, there)
        if here != there or new:
            replacing.put(start, end, new=new)


def copy(source: Spot, destination: Spot, *, new: bool) -> None:
    """Copy a file, or a directory with all that is in it; `new`: only where nothing stands at the destination."""
    with source.fence.opened(source.names, READ) as start:
        is_directory = _is_copied_whole(start.fd)
        if is_directory:
            source.fence.require_copyable(start.names)
        with destination.entry(follow=not new) as end, locks.held(destination.fence.locks, end):
            here, there = source.path(start.names), destination.path(end.names)
            if is_directory:
                _require_apart(here, there)
            if here != there or new:
                _require_room(end, is_directory, new)
                _copy(start.fd, end, is_directory, new)


def size(source: Spot) -> int:
    """The bytes of a file, or of all files in a directory."""
    with source.fence.opened(source.names, READ) as start:
        if not _is_copied_whole(start.fd):
            return os.fstat(start.fd).st_size
        total = 0
        try:
            for _, _, names, directory in os.fwalk(".", dir_fd=start.fd):
                for name in names:
                    with suppress(FileNotFoundError):
                        total += os.stat(name, dir_fd=directory, follow_symlinks=False).st_size
        except RecursionError:
            raise OSError(errno.ENAMETOOLONG, "the directory is nested too deeply") from None
        return total


def _is_copied_whole(fd: int) -> bool:
    """Whether it is a directory; raises `NotAFile` where it is neither that nor a file."""
    mode = os.fstat(fd).st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise NotAFile("neither a file nor a directory")
    return stat.S_ISDIR(mode)


def _require_room(end: Entry, is_directory: bool, new: bool) -> None:
    """What stands at the destination must be of the same kind, if anything may stand there at all."""
    status = end.status()
    if status is not None and (new or stat.S_ISDIR(status.st_mode) != is_directory):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))


def _copy(start: int, end: Entry, is_directory: bool, new: bool) -> None:
    with replacing.passing(end) as made:
        if is_directory:
            _copy_tree(start, made)
        else:
            _copy_file(start, made)
        replacing.put(made, end, new=new)


def _require_apart(source: Sequence[str], destination: Sequence[str]) -> None:
    shorter = min(len(source), len(destination))
    if source[:shorter] == destination[:shorter] and len(source) != len(destination):
        raise IntoItself


def _copy_file(source: int, target: Entry) -> None:
    status = os.fstat(source)
    fd = writing.create(target, stat.S_IMODE(status.st_mode) & 0o777)
    try:
        writing.copy_range(source, fd, 0, status.st_size)
        writing.finish(fd)
    finally:
        os.close(fd)


def _copy_tree(source: int, target: Entry) -> None:
    os.mkdir(target.name, dir_fd=target.parent)
    inside = os.open(target.name, _BELOW, dir_fd=target.parent)
    try:
        with os.scandir(source) as found:
            for each in found:
                if not replacing.is_passing(each.name):
                    _copy_child(Entry(source, each.name, ()), Entry(inside, each.name, ()))
        os.fchmod(inside, stat.S_IMODE(os.fstat(source).st_mode) & 0o777)
    except RecursionError:
        raise OSError(errno.ENAMETOOLONG, "the directory is nested too deeply") from None
    finally:
        os.close(inside)


def _copy_child(source: Entry, target: Entry) -> None:
    status = source.status()
    if status is None:
        return  # it went away while we were looking
    if stat.S_ISLNK(status.st_mode):
        os.symlink(os.readlink(source.name, dir_fd=source.parent), target.name, dir_fd=target.parent)
        return
    is_directory = stat.S_ISDIR(status.st_mode)
    fd = os.open(source.name, _BELOW, dir_fd=source.parent) if is_directory else source.open_file()
    try:
        if is_directory:
            _copy_tree(fd, target)
        else:
            _copy_file(fd, target)
    finally:
        os.close(fd)
