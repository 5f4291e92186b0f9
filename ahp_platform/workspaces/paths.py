"""Which place below the tenant's directory does a `file:` URI name?

Every tenant has one directory under `AHP_DATA_DIR/workspaces`. A place in it is the tuple of names that lead to it; a
name that is not UTF-8 keeps its bytes as surrogates, as everywhere in Python, and is percent-encoded in URIs. Source:
DESIGN.md section 7, PROTOCOL.md section 12.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote_from_bytes, unquote_to_bytes, urlsplit

from django.conf import settings

Names = tuple[str, ...]

# Below these every session has a directory of its own, which belongs to those who see the session.
SESSIONS, WORKTREES = "sessions", "worktrees"
OWN_DIRECTORIES = frozenset({SESSIONS, WORKTREES})

FILE = "file"


class NotAFileUri(ValueError):
    """The text is no `file:` URI of this machine."""


class LeadsOut(PermissionError):
    """The place is not one that the caller may reach; whether there is anything was not looked at."""


def root(slug: str) -> Path:
    """The tenant's directory."""
    return Path(settings.AHP_DATA_DIR).resolve() / "workspaces" / slug


def locks() -> Path:
    """The folder of the locks that writers take, outside of everybody's tree."""
    return Path(settings.AHP_DATA_DIR).resolve() / "locks"


def own_directory_name(session: str) -> str:
    """The name of a session's own directories, below `SESSIONS` and `WORKTREES`."""
    return hashlib.sha256(session.encode()).hexdigest()[:20]


def names_of(root: Path, uri: str) -> Names:
    """The names that lead from the root to what the URI names; raises `NotAFileUri` or `LeadsOut`."""
    try:
        parts = urlsplit(uri)
    except ValueError as error:
        raise NotAFileUri(uri) from error
    # urlsplit drops tabs and line ends, which would then name something else.
    here = parts.scheme == FILE and parts.netloc in ("", "localhost") and parts.path.startswith("/")
    if not here or parts.query or parts.fragment or any(sign in uri for sign in "\t\r\n"):
        raise NotAFileUri(uri)
    return below(root, [_decoded(name) for name in parts.path.split("/")])


def below(root: Path, names: Sequence[str]) -> Names:
    """The names after those of the root; raises `LeadsOut` where an absolute path does not begin with them."""
    plain = tuple(name for name in names if name not in ("", "."))
    trunk = root.parts[1:]
    if plain[: len(trunk)] != trunk:
        raise LeadsOut("outside of the permitted directories")
    return plain[len(trunk) :]


def uri_of(root: Path, names: Sequence[str]) -> str:
    """The URI of a place."""
    return joined(root.as_uri(), names)


def joined(base: str, names: Sequence[str]) -> str:
    """The URI of what the names lead to from the directory `base`, which keeps the spelling it has."""
    return "/".join((base.rstrip("/"), *(quoted(name) for name in names)))


def quoted(name: str) -> str:
    """One name as it stands in a URI."""
    return quote_from_bytes(name.encode(errors="surrogateescape"), safe="")


def shown(name: str) -> str:
    """One name as people read it: bytes that are not UTF-8 are percent-encoded."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return "".join(quoted(sign) if "\udc80" <= sign <= "\udcff" else sign for sign in name)
    return name


def _decoded(name: str) -> str:
    decoded = unquote_to_bytes(name)
    if decoded == b".." or b"/" in decoded or b"\x00" in decoded:
        raise LeadsOut("outside of the permitted directories")
    return decoded.decode(errors="surrogateescape")
