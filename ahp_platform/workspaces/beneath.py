"""How is a place below a directory opened so that no link, `..` or swap leads out of it?

By the kernel (openat2 with RESOLVE_BENEATH) where it can, else name by name, each relative to the descriptor of the
one before and without following what it is; links are read and followed by us. The second way is also asked where the
kernel refuses: links that name an absolute place inside are good ones. Source: DESIGN.md section 7.
"""

from __future__ import annotations

import ctypes
import errno
import os
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ahp_platform.workspaces.paths import LeadsOut, Names, below

LOOK = os.O_PATH | os.O_CLOEXEC
ENTER = LOOK | os.O_DIRECTORY

# A FIFO that nobody writes to must not hold us up, a terminal must not become ours.
READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC

MAX_LINKS = 40
# How often a name may change its nature under our hands before we give up.
MAX_SWAPS = 1_000

_OPENAT2 = 437
_RESOLVE_NO_MAGICLINKS, _RESOLVE_BENEATH = 0x02, 0x08
_DESCRIPTORS = Path("/proc/self/fd")
_syscall = ctypes.CDLL(None, use_errno=True).syscall


class _How(ctypes.Structure):
    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


@dataclass(frozen=True, slots=True)
class Opened:
    """A descriptor, which the caller closes, and the names that really lead to it from the root: none of them a link."""

    fd: int
    names: Names


@dataclass(frozen=True, slots=True)
class Root:
    """An open directory that nothing leads out of, the path that absolute links into it begin with, and what raises
    for places in it that may not be entered.
    """

    fd: int
    path: Path
    require: Callable[[Names], None]


def open_beneath(root: Root, names: Sequence[str], flags: int) -> Opened:
    """Open what is there, following links that stay inside; raises `LeadsOut` for others, else `OSError`."""
    if KERNEL.can:
        with suppress(OSError):
            return _by_kernel(root, names, flags)
        # The kernel does not say how far it came, and an error must not tell what is where one may not enter.
    return _by_steps(root, names, flags)


def _by_kernel(root: Root, names: Sequence[str], flags: int) -> Opened:
    path = os.fsencode("/".join(names) or ".")
    how = _How(flags, 0, _RESOLVE_BENEATH | _RESOLVE_NO_MAGICLINKS)
    fd = _syscall(_OPENAT2, root.fd, path, ctypes.byref(how), ctypes.sizeof(how))
    if fd < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    try:
        real = _names_of_descriptor(root, fd)
        root.require(real)
        return Opened(fd, real)
    except BaseException:
        os.close(fd)
        raise


def _names_of_descriptor(root: Root, fd: int) -> Names:
    here = str(_DESCRIPTORS.joinpath(str(root.fd)).readlink()).rstrip("/")
    there = str(_DESCRIPTORS.joinpath(str(fd)).readlink())
    if there != here and not there.startswith(f"{here}/"):
        raise LeadsOut("it was moved away")
    return tuple(name for name in there[len(here) :].split("/") if name)


def _by_steps(root: Root, names: Sequence[str], flags: int) -> Opened:
    walk = _Walk(root)
    try:
        return walk.to(names, flags)
    finally:
        walk.close()


class _Walk:
    """From the root downwards, with a descriptor for each directory on the way: going up never asks the disk."""

    def __init__(self, root: Root) -> None:
        self._root = root
        self._fds = [os.dup(root.fd)]
        self._names: list[str] = []
        self._links, self._swaps = 0, 0

    def to(self, names: Sequence[str], flags: int) -> Opened:
        """Open what the names lead to."""
        todo = deque(names)
        while todo:
            name = todo.popleft()
            if name == "..":
                self._up()
            elif name not in ("", "."):
                opened = self._step(name, todo, flags)
                if opened is not None:
                    return opened
        return Opened(os.open(".", flags & ~os.O_NOFOLLOW, dir_fd=self._fds[-1]), tuple(self._names))

    def close(self) -> None:
        """Let go of the directories."""
        while self._fds:
            os.close(self._fds.pop())

    def _up(self) -> None:
        if not self._names:
            raise LeadsOut("outside of the permitted directories")
        os.close(self._fds.pop())
        self._names.pop()

    def _step(self, name: str, todo: deque[str], flags: int) -> Opened | None:
        last = not todo
        self._root.require((*self._names, name))
        if not (last and flags & os.O_NOFOLLOW) and (target := link_at(self._fds[-1], name)) is not None:
            self._follow(target, todo)
            return None
        try:
            fd = os.open(name, (flags if last else ENTER) | os.O_NOFOLLOW, dir_fd=self._fds[-1])
        except OSError as error:
            if error.errno not in (errno.ELOOP, errno.ENOTDIR) or link_at(self._fds[-1], name) is None:
                raise
            self._swapped(name, todo, flags, error)
            return None
        if last:
            return Opened(fd, (*self._names, name))
        self._fds.append(fd)
        self._names.append(name)
        return None

    def _swapped(self, name: str, todo: deque[str], flags: int, error: OSError) -> None:
        self._swaps += 1
        if self._swaps > MAX_SWAPS or (not todo and flags & os.O_NOFOLLOW):
            raise error
        todo.appendleft(name)

    def _follow(self, target: str, todo: deque[str]) -> None:
        self._links += 1
        if self._links > MAX_LINKS:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        names: Sequence[str] = target.split("/")
        if target.startswith("/"):
            names = below(self._root.path, names)
            while self._names:
                self._up()
        todo.extendleft(reversed(names))


def link_at(directory: int, name: str) -> str | None:
    """Where a link points, None where the name is no link; raises where there is nothing."""
    try:
        return os.readlink(name, dir_fd=directory)
    except OSError as error:
        if error.errno == errno.EINVAL:
            return None
        raise


@dataclass(slots=True)
class Kernel:
    """Whether openat2 is there, and not forbidden as in some containers."""

    can: bool


def _probe() -> bool:
    fd = os.open("/", ENTER)
    try:
        os.close(_by_kernel(Root(fd, Path("/"), lambda _: None), (), LOOK).fd)
    except OSError:
        return False
    finally:
        os.close(fd)
    return True


KERNEL = Kernel(_probe())
