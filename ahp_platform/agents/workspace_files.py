"""Which files does a turn work on, and how are they read and written?

Those in its working directories and no others, named absolutely or relative to the first. Everything goes through the fence of the
workspaces (`ahp_platform.workspaces`). Synchronous: runs in a thread; refusals are `OSError`s. Source: DESIGN.md section 7.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from ahp_platform.agents.backend import TurnFailed
from ahp_platform.workspaces import paths, reading, trees, writing
from ahp_platform.workspaces.fence import Fence
from ahp_platform.workspaces.paths import LeadsOut, Names
from ahp_platform.workspaces.writing import Change

MAX_READ_BYTES = 8 * 1024 * 1024


class WorkspaceFiles:
    """The files of one turn; `directories` are the `file:` URIs of its working directories."""

    def __init__(self, root: Path, directories: Sequence[str]) -> None:
        self._root = root
        found = (self._names(uri) for uri in directories)
        self._directories = [names for names in found if names is not None]
        # A working directory may be in its session's own directory; no other session's is entered.
        own = [name for names in self._directories for name in names[1:2]]
        self._fence = Fence(root, paths.locks(), own)

    def read(self, path: str) -> str:
        """The text of a file; bytes that are not UTF-8 become replacement characters."""
        return b"".join(reading.chunks(self._fence, self.place(path), MAX_READ_BYTES)).decode(errors="replace")

    def write(self, path: str, text: str) -> None:
        """Make this the file's text, with the directories that it needs."""
        names = self.place(path)
        trees.mkdir(self._fence, names[:-1])
        try:
            writing.write(self._fence, names, Change(text.encode(errors="replace")))
        except IsADirectoryError as error:
            raise PermissionError(f"{names[-1]} is no file that may be written") from error

    def uri(self, path: str) -> str:
        """The URI of a file."""
        return paths.uri_of(self._root, self.place(path))

    def directory(self, path: str) -> str:
        """The URI of a working directory, or of a directory in one; "" is the first. Raises `TurnFailed`."""
        try:
            if not path:
                return paths.uri_of(self._root, self._directories[0]) if self._directories else ""
            names = paths.below(self._root, path.split("/"))
            return paths.uri_of(self._root, names if names in self._directories else self.place(path))
        except LeadsOut:
            raise TurnFailed("terminal", "The directory is in none of the working directories.") from None

    def place(self, path: str) -> Names:
        """Where a file is; raises `LeadsOut` where that is in none of the directories."""
        parts = path.split("/")
        if not self._directories or ".." in parts or "\x00" in path:
            raise LeadsOut("the path leads out of the working directories")
        if not path.startswith("/"):
            names = (*self._directories[0], *(part for part in parts if part not in ("", ".")))
        else:
            names = paths.below(self._root, parts)
        if not any(names[: len(each)] == each and len(names) > len(each) for each in self._directories):
            raise LeadsOut("the path leads out of the working directories")
        return names

    def _names(self, uri: str) -> Names | None:
        """Where a working directory is; None where it is not one of this tenant's."""
        with suppress(paths.NotAFileUri, LeadsOut):
            return paths.names_of(self._root, uri)
        return None
