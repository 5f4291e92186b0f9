"""How does an agent's text get into a file of its working directory, and into no other?

Through the fence that everything else goes through, too (`ahp_platform.workspaces`). Source: DESIGN.md section 7.
"""

from __future__ import annotations

import os
from difflib import SequenceMatcher
from pathlib import Path, PurePosixPath

from ahp_platform.agents.backend import Json
from ahp_platform.workspaces import paths, trees, writing
from ahp_platform.workspaces.fence import Fence
from ahp_platform.workspaces.paths import Names
from ahp_platform.workspaces.writing import Change

# Above this size the edit does not say how much was added and removed: comparing would take longer than writing.
MAX_COMPARED_BYTES = 256 * 1024


def write_text(tenant_root: Path, directory: str, path: str, text: str) -> Json:
    """Write `path` below the working directory (a `file:` URI) and return the `FileEdit`. Raises `OSError`."""
    base = _inside(tenant_root, directory)
    names = (*base, *_relative(path))
    # The working directory may be in the session's own directory; no other session's is entered.
    fence = Fence(tenant_root, paths.locks(), base[1:2])
    trees.mkdir(fence, names[:-1])
    try:
        before = _read(fence, names)
        writing.write(fence, names, Change(text.encode()))
    except IsADirectoryError as error:
        raise PermissionError(f"{names[-1]} is no file that may be written") from error
    return _edit(paths.uri_of(tenant_root, names), before, text)


def _inside(tenant_root: Path, directory: str) -> Names:
    try:
        return paths.names_of(tenant_root, directory)
    except paths.NotAFileUri as error:
        raise PermissionError("the working directory is not one of this tenant's") from error


def _relative(path: str) -> Names:
    pure = PurePosixPath(path)
    if pure.is_absolute() or ".." in pure.parts or "\x00" in path or not pure.parts:
        raise PermissionError("the path leads out of the working directory")
    return pure.parts


def _read(fence: Fence, names: Names) -> str | None:
    """The text that is there ("" where there is no file), None where it is too big to compare."""
    try:
        with fence.file(names) as file:
            if os.fstat(file.fd).st_size > MAX_COMPARED_BYTES:
                return None
            return os.read(file.fd, MAX_COMPARED_BYTES).decode(errors="replace")
    except FileNotFoundError:
        return ""


def _edit(uri: str, before: str | None, after: str) -> Json:
    size = len(after.encode())
    edit: Json = {"after": {"uri": uri, "content": {"uri": uri, "sizeHint": size}}}
    if before is None or size > MAX_COMPARED_BYTES:
        return edit
    old, new = before.splitlines(), after.splitlines()
    kept = sum(block.size for block in SequenceMatcher(None, old, new).get_matching_blocks())
    return {**edit, "diff": {"added": len(new) - kept, "removed": len(old) - kept}}
