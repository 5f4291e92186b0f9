"""How does something new appear at a place whole or not at all?

It is made under a passing name in the same directory and renamed. Source: PROTOCOL.md section 12.
"""

from __future__ import annotations

import ctypes
import errno
import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from ahp_platform.workspaces.fence import Entry

PASSING = ".ahp-part"

_NOREPLACE, _EXCHANGE = 1, 2
_UNSUPPORTED = (errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP)
_renameat2 = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)


def is_passing(name: str) -> bool:
    """Whether a name is one of ours that nobody is meant to see."""
    return name.startswith(".") and name.endswith(PASSING)


@contextmanager
def passing(beside: Entry) -> Iterator[Entry]:
    """A new name in the entry's directory; what stands there when the work is done goes away."""
    name = f".{secrets.token_hex(8)}{PASSING}"
    made = Entry(beside.parent, name, (*beside.names[:-1], name))
    try:
        yield made
    finally:
        remove(made)


def remove(entry: Entry) -> None:
    """Whatever stands there goes, a directory with all that is in it; links go, what they name stays."""
    status = entry.status()
    if status is None:
        return
    if not stat.S_ISDIR(status.st_mode):
        os.unlink(entry.name, dir_fd=entry.parent)
        return
    try:
        shutil.rmtree(entry.name, dir_fd=entry.parent)
    except RecursionError:
        raise OSError(errno.ENAMETOOLONG, "the directory is nested too deeply") from None


def put(source: Entry, target: Entry, *, new: bool) -> None:
    """Rename; `new`: raises `FileExistsError` where something stands at the target, else only something of another kind
    is in the way and what was there is gone afterwards.
    """
    if new:
        _put_new(source, target)
        return
    try:
        os.replace(source.name, target.name, src_dir_fd=source.parent, dst_dir_fd=target.parent)
    except OSError as error:
        if error.errno in (errno.EISDIR, errno.ENOTDIR):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)) from error
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise
        _exchange(source, target)
        remove(source)


def _put_new(source: Entry, target: Entry) -> None:
    try:
        _rename(source, target, _NOREPLACE)
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise
        # The locks keep our own writers out between the look and the rename.
        if target.status() is not None:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)) from error
        os.rename(source.name, target.name, src_dir_fd=source.parent, dst_dir_fd=target.parent)


def _exchange(source: Entry, target: Entry) -> None:
    try:
        _rename(source, target, _EXCHANGE)
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise
        with passing(target) as aside:
            os.rename(target.name, aside.name, src_dir_fd=target.parent, dst_dir_fd=aside.parent)
            try:
                os.rename(source.name, target.name, src_dir_fd=source.parent, dst_dir_fd=target.parent)
            except OSError:
                with suppress(OSError):
                    os.rename(aside.name, target.name, src_dir_fd=aside.parent, dst_dir_fd=target.parent)
                raise


def _rename(source: Entry, target: Entry, flag: int) -> None:
    if _renameat2 is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    names = os.fsencode(source.name), os.fsencode(target.name)
    if _renameat2(source.parent, names[0], target.parent, names[1], flag) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
