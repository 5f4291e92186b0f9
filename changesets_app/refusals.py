"""What is a caller told when a file cannot be had?

Source: PROTOCOL.md sections 12 and 15. Nothing of what lies outside is told, and of what lies inside no path but the
caller's own.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from ahp_platform.protocol.errors import (
    AlreadyExists,
    Conflict,
    InternalError,
    InvalidParams,
    NotFound,
    PermissionDenied,
    ProtocolError,
)
from ahp_platform.protocol.uris import ROOT
from ahp_platform.workspaces.fence import Fixed, NotAFile
from ahp_platform.workspaces.paths import LeadsOut, NotAFileUri
from ahp_platform.workspaces.trees import IntoItself
from ahp_platform.workspaces.writing import BadPosition, Changed
from changesets_app.watches.inotify import TooMuch

# In this order: the first that fits.
_BY_KIND: tuple[tuple[type[Exception], type[ProtocolError], str], ...] = (
    (Fixed, PermissionDenied, "This directory may not be changed"),
    (NotAFile, PermissionDenied, "Neither a file nor a directory"),
    (PermissionError, PermissionDenied, "The file system does not permit it"),
    (Changed, Conflict, "The file has changed"),
    (FileExistsError, AlreadyExists, "Something is there already"),
    (IsADirectoryError, InvalidParams, "params.uri: is a directory"),
    (FileNotFoundError, NotFound, "Nothing is there"),
    (NotADirectoryError, NotFound, "Nothing is there"),
    (NotAFileUri, InvalidParams, "Expected a file: URI of this host"),
    (BadPosition, InvalidParams, "params.position: beyond the end of the file"),
    (TooMuch, InvalidParams, "There is too much to watch: name a smaller directory, or exclude more"),
    (IntoItself, InvalidParams, "A directory cannot be put into itself, nor over what holds it"),
)
_BY_NUMBER: dict[int, tuple[type[ProtocolError], str]] = {
    errno.EFBIG: (InvalidParams, "The file is too big to be sent in one piece"),
    errno.ENAMETOOLONG: (InvalidParams, "A name is too long, or a directory nested too deeply"),
    errno.ENOTEMPTY: (InvalidParams, "params.recursive: the directory is not empty"),
    errno.EXDEV: (InvalidParams, "The two places are on different file systems"),
    errno.EINVAL: (InvalidParams, "The file system takes no such name"),
    errno.EILSEQ: (InvalidParams, "The file system takes no such name"),
    errno.ELOOP: (NotFound, "Nothing is there"),
    errno.EROFS: (PermissionDenied, "The file system is read-only"),
    errno.ENOSPC: (InternalError, "The disk is full; nothing was changed"),
    errno.EDQUOT: (InternalError, "The disk quota is used up; nothing was changed"),
}


@contextmanager
def told(uri: str, *, write: bool = False) -> Iterator[None]:
    """Turn what goes wrong with the resource into what its caller is told."""
    try:
        yield
    except (OSError, ValueError) as error:
        known = _protocol_error(error, uri, write)
        if known is None:
            raise
        raise known from error


def outside(uri: str, *, write: bool) -> PermissionDenied:
    """The refusal for what the caller may not reach, with the request that would be about it."""
    request = {"channel": ROOT, "uri": uri, ("write" if write else "read"): True}
    return PermissionDenied("Outside of the permitted directories", {"request": request})


def _protocol_error(error: OSError | ValueError, uri: str, write: bool) -> ProtocolError | None:
    if isinstance(error, LeadsOut):
        return outside(uri, write=write)
    if isinstance(error, IsADirectoryError) and write:
        return AlreadyExists("A directory is there")
    for kind, refusal, message in _BY_KIND:
        if isinstance(error, kind):
            return refusal(message)
    if isinstance(error, OSError) and error.errno in _BY_NUMBER:
        refusal, message = _BY_NUMBER[error.errno]
        return refusal(message)
    return None
