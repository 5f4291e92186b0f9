"""How does the kernel tell us what changes in a directory?

inotify, on directories that are open already: nothing is looked up by a path that might have become a link meanwhile.
"""

from __future__ import annotations

import ctypes
import os
import struct
from typing import Final, NamedTuple

CREATE: Final = 0x100
DELETE: Final = 0x200
DELETE_SELF: Final = 0x400
MODIFY: Final = 0x2
CLOSE_WRITE: Final = 0x8
MOVED_FROM: Final = 0x40
MOVED_TO: Final = 0x80
MOVE_SELF: Final = 0x800
OVERFLOW: Final = 0x4000
IGNORED: Final = 0x8000
IS_DIRECTORY: Final = 0x40000000

_WANTED = CREATE | DELETE | DELETE_SELF | MODIFY | CLOSE_WRITE | MOVED_FROM | MOVED_TO | MOVE_SELF
_EXCLUDE_UNLINKED, _ONLY_DIRECTORIES = 0x04000000, 0x01000000
_HEAD = struct.Struct("iIII")
_READ_BYTES = 64 * 1024

_libc = ctypes.CDLL(None, use_errno=True)


class Event(NamedTuple):
    """Something happened to `name` in the directory that was watched as `watched`."""

    watched: int
    mask: int
    name: str


class Inotify:
    """One queue of the kernel's; `fd` becomes readable when something is in it."""

    def __init__(self) -> None:
        self.fd = _checked(_libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC))

    def add(self, directory: int) -> int:
        """Watch an open directory; the number under which its events come. The same directory has the same number."""
        path = f"/proc/self/fd/{directory}".encode()
        mask = _WANTED | _EXCLUDE_UNLINKED | _ONLY_DIRECTORIES
        return _checked(_libc.inotify_add_watch(self.fd, path, ctypes.c_uint32(mask)))

    def remove(self, watched: int) -> None:
        """Watch a directory no longer; no matter if it is gone."""
        _libc.inotify_rm_watch(self.fd, watched)

    def read(self) -> list[Event]:
        """What has happened since, in order; empty where nothing has."""
        try:
            data = os.read(self.fd, _READ_BYTES)
        except BlockingIOError:
            return []
        events, at = [], 0
        while at < len(data):
            watched, mask, _, length = _HEAD.unpack_from(data, at)
            at += _HEAD.size + length
            events.append(Event(watched, mask, os.fsdecode(data[at - length : at].rstrip(b"\x00"))))
        return events

    def close(self) -> None:
        """Let go of the queue and of everything watched."""
        os.close(self.fd)


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result
