"""How does an agent's text get into a file of its working directory, and into no other?

Every step from the tenant's directory downwards is opened relative to the one before and follows no link, so that nothing that is
swapped meanwhile leads out. The file appears whole or not at all. Source: DESIGN.md section 7.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from difflib import SequenceMatcher
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

from ahp_platform.agents.backend import Json

DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC

# Above this size the edit does not say how much was added and removed: comparing would take longer than writing.
MAX_COMPARED_BYTES = 256 * 1024


def write_text(tenant_root: Path, directory: str, path: str, text: str) -> Json:
    """Write `path` below the working directory (a `file:` URI) and return the `FileEdit`. Raises `OSError`."""
    names = _inside(tenant_root, directory)
    target = _relative(path)
    root = os.open(tenant_root, DIRECTORY)
    with _walked(root, names, create=False) as base, _walked(os.dup(base), target[:-1], create=True) as parent:
        before = _read(parent, target[-1])
        _replace(parent, target[-1], text)
    return _edit(tenant_root.joinpath(*names, *target).as_uri(), before, text)


def _inside(tenant_root: Path, directory: str) -> tuple[str, ...]:
    parts = urlsplit(directory)
    path = Path(unquote(parts.path))
    if parts.scheme != "file" or ".." in path.parts or not path.is_relative_to(tenant_root):
        raise PermissionError("the working directory is not one of this tenant's")
    return path.relative_to(tenant_root).parts


def _relative(path: str) -> tuple[str, ...]:
    pure = PurePosixPath(path)
    if pure.is_absolute() or ".." in pure.parts or "\x00" in path or not pure.parts:
        raise PermissionError("the path leads out of the working directory")
    return pure.parts


@contextmanager
def _walked(fd: int, names: Sequence[str], *, create: bool) -> Iterator[int]:
    """The directory that the names lead to from the open one, which is closed with it."""
    try:
        for name in names:
            fd = _step(fd, name, create=create)
        yield fd
    finally:
        os.close(fd)


def _step(fd: int, name: str, *, create: bool) -> int:
    """The directory `name` in the open directory, which is closed unless this raises."""
    if create:
        with suppress(FileExistsError):
            os.mkdir(name, dir_fd=fd)
    try:
        below = os.open(name, DIRECTORY, dir_fd=fd)
    except OSError as error:
        raise PermissionError(f"{name} is no directory that may be entered") from error
    os.close(fd)
    return below


def _read(parent: int, name: str) -> str | None:
    """The text that is there ("" where there is no file), None where it is too big to compare."""
    try:
        fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=parent)
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise PermissionError(f"{name} is no file that may be written") from error
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            raise PermissionError(f"{name} is no file that may be written")
        if status.st_size > MAX_COMPARED_BYTES:
            return None
        return os.read(fd, MAX_COMPARED_BYTES).decode(errors="replace")
    finally:
        os.close(fd)


def _replace(parent: int, name: str, text: str) -> None:
    temporary = f".{secrets.token_hex(8)}.tmp"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    fd = os.open(temporary, flags, 0o644, dir_fd=parent)
    try:
        with open(fd, "w", encoding="utf-8", newline="") as file:  # noqa: PTH123 - a descriptor has no path
            file.write(text)
        os.replace(temporary, name, src_dir_fd=parent, dst_dir_fd=parent)
    except BaseException:
        os.unlink(temporary, dir_fd=parent)
        raise


def _edit(uri: str, before: str | None, after: str) -> Json:
    size = len(after.encode())
    edit: Json = {"after": {"uri": uri, "content": {"uri": uri, "sizeHint": size}}}
    if before is None or size > MAX_COMPARED_BYTES:
        return edit
    old, new = before.splitlines(), after.splitlines()
    kept = sum(block.size for block in SequenceMatcher(None, old, new).get_matching_blocks())
    return {**edit, "diff": {"added": len(new) - kept, "removed": len(old) - kept}}
