"""Where in a tenant's directory may this caller go, and how do they get at a place there?

A `Fence` is made for one caller and one piece of work. Everything that touches a tenant's files goes through it: what
it hands out are descriptors, and names that are used relative to them and never followed. Source: DESIGN.md section 7.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ahp_platform.workspaces.beneath import ENTER, MAX_LINKS, READ, Opened, Root, link_at, open_beneath
from ahp_platform.workspaces.paths import OWN_DIRECTORIES, LeadsOut, Names, below


class NotAFile(PermissionError):
    """Neither a regular file nor a directory: nobody gets to open it."""


class Fixed(PermissionError):
    """The place is part of how the tenant's directory is laid out and is not changed by anybody."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A name in an open directory: what stands there may be nothing, or a link that is not followed."""

    parent: int
    name: str
    names: Names

    def status(self) -> os.stat_result | None:
        """What stands there now."""
        try:
            return os.stat(self.name, dir_fd=self.parent, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def open_file(self, flags: int = READ) -> int:
        """A descriptor of the regular file that stands there."""
        try:
            fd = os.open(self.name, flags | os.O_NOFOLLOW, dir_fd=self.parent)
        except OSError as error:
            raise _opened_wrongly(error) from error
        try:
            require_file(fd)
        except BaseException:
            os.close(fd)
            raise
        return fd


class Fence:
    """`entered` names the sessions' own directories that are open to the caller; the others are not there for them.

    `locks` is the folder of the locks that writers take.
    """

    # Whether what is inside is the tenant's own.
    is_tenants = True

    def __init__(self, root: Path, locks: Path, entered: Collection[str] = ()) -> None:
        self.root, self.locks, self._entered = Path(os.path.realpath(root)), locks, frozenset(entered)
        # So many names of a path are there already, or are none of the caller's business to make.
        self.given = 0

    @property
    def view(self) -> tuple[Path, frozenset[str]]:
        """What is the same for all callers who see the same."""
        return self.root, self._entered

    @contextmanager
    def opened(self, names: Sequence[str], flags: int) -> Iterator[Opened]:
        """What is there, links followed as long as they stay inside."""
        with self._opened(names, flags) as opened:
            self.require_inside(opened.names)
            yield opened

    @contextmanager
    def _opened(self, names: Sequence[str], flags: int) -> Iterator[Opened]:
        with self._open_root() as root:
            try:
                opened = open_beneath(root, names, flags)
            except OSError as error:
                raise _opened_wrongly(error) from error
        try:
            yield opened
        finally:
            os.close(opened.fd)

    @contextmanager
    def file(self, names: Sequence[str]) -> Iterator[Opened]:
        """The regular file that is there, to be read."""
        with self.opened(names, READ) as opened:
            require_file(opened.fd)
            yield opened

    @contextmanager
    def entry(self, names: Sequence[str], *, follow: bool) -> Iterator[Entry]:
        """The name that the names end with, in its real directory; `follow`: where a link stands, what it names."""
        for _ in range(MAX_LINKS):
            if not names or names[-1] == "..":
                names = self._real(names)
            with self._opened(names[:-1], ENTER) as parent:
                here = Entry(parent.fd, names[-1], (*parent.names, names[-1]))
                self.require_inside(here.names)
                target = _target(here) if follow else None
                if target is None:
                    yield here
                    return
                names = self._led(parent.names, target)
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))

    def require(self, names: Names) -> None:
        """Raise `LeadsOut` for what is in another session's own directory."""
        if len(names) > 1 and names[0] in OWN_DIRECTORIES and names[1] not in self._entered:
            raise LeadsOut("outside of the permitted directories")

    def require_inside(self, names: Names) -> None:
        """As `require`, for where the way ends."""
        self.require(names)

    def require_changeable(self, names: Names) -> None:
        """Raise `Fixed` for the root, and for the sessions' own directories as such."""
        if not names or (names[0] in OWN_DIRECTORIES and len(names) <= 2):
            raise Fixed("this directory may not be changed")

    def require_copyable(self, names: Names) -> None:
        """Raise `Fixed` for directories that hold what not everybody may enter."""
        if not names or self.holds_own_directories(names):
            raise Fixed("this directory may not be copied")

    def holds_own_directories(self, names: Names) -> bool:
        """Whether the entries of this directory are sessions' own directories."""
        return len(names) == 1 and names[0] in OWN_DIRECTORIES

    def _real(self, names: Sequence[str]) -> Names:
        with self.opened(names, ENTER) as opened:
            if not opened.names:
                raise Fixed("this directory may not be changed")
            return opened.names

    def _led(self, parent: Names, target: str) -> Names:
        if target.startswith("/"):
            return below(self.root, target.split("/"))
        return (*parent, *(name for name in target.split("/") if name not in ("", ".")))

    @contextmanager
    def _open_root(self) -> Iterator[Root]:
        fd = self._root_fd()
        try:
            yield Root(fd, self.root, self.require)
        finally:
            os.close(fd)

    def _root_fd(self) -> int:
        try:
            return os.open(self.root, ENTER)
        except FileNotFoundError:
            self.root.mkdir(parents=True, exist_ok=True)
            return os.open(self.root, ENTER)


def require_file(fd: int) -> None:
    """Raise unless the descriptor is one of a regular file."""
    mode = os.fstat(fd).st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(mode):
        raise NotAFile("neither a file nor a directory")


def _target(entry: Entry) -> str | None:
    try:
        return link_at(entry.parent, entry.name)
    except FileNotFoundError:
        return None


def _opened_wrongly(error: OSError) -> OSError:
    # A socket, and a device without a driver, refuse to be opened before anybody could look what they are.
    return NotAFile("neither a file nor a directory") if error.errno in (errno.ENXIO, errno.ENODEV) else error
