"""How does the kernel tell us what changes in a directory?

inotify, on directories that are open already: nothing is looked up by a path that might have become a link meanwhile.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import threading
from typing import Final, NamedTuple, Protocol

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


class TooMuch(ValueError):
    """The kernel watches no more directories for us."""


class Listener(Protocol):
    """Somebody who watches directories."""

    def push(self, event: Event) -> None:
        """Called in any thread, with the queue locked: must not block."""


class Inotify:
    """A queue of the kernel's, which all watches of a process share, as there are few of them. `fd` is readable when
    something is in it. May be used from any thread.
    """

    def __init__(self) -> None:
        self.fd = _checked(_libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC))
        self._listeners: dict[int, set[Listener]] = {}
        self._lock = threading.Lock()

    def add(self, directory: int, listener: Listener) -> int:
        """Watch an open directory; the number under which its events come, the same for the same directory."""
        path = f"/proc/self/fd/{directory}".encode()
        mask = _WANTED | _EXCLUDE_UNLINKED | _ONLY_DIRECTORIES
        # Locked around both, so that no event is handed out before somebody is there for it.
        with self._lock:
            try:
                watched = _checked(_libc.inotify_add_watch(self.fd, path, ctypes.c_uint32(mask)))
            except OSError as error:
                if error.errno == errno.ENOSPC:
                    raise TooMuch from error
                raise
            self._listeners.setdefault(watched, set()).add(listener)
            return watched

    def remove(self, watched: int, listener: Listener) -> None:
        """The listener watches this directory no longer; no matter if it is gone."""
        with self._lock:
            listeners = self._listeners.get(watched, set())
            listeners.discard(listener)
            if not listeners and self._listeners.pop(watched, None) is not None:
                _libc.inotify_rm_watch(self.fd, watched)

    def pump(self) -> None:
        """Hand out what has happened until now."""
        with self._lock:
            while events := self._read():
                for event in events:
                    self._hand_out(event)

    def close(self) -> None:
        """Let go of the queue and of everything watched."""
        os.close(self.fd)

    def _hand_out(self, event: Event) -> None:
        if event.mask & OVERFLOW:
            listeners = {listener for some in self._listeners.values() for listener in some}
        else:
            listeners = self._listeners.get(event.watched, set())
        if event.mask & IGNORED:
            self._listeners.pop(event.watched, None)
        for listener in listeners:
            listener.push(event)

    def _read(self) -> list[Event]:
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


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result
