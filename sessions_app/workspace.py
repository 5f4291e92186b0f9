"""Which directories may sessions of a tenant work in?

Every tenant has one directory under `AHP_DATA_DIR/workspaces`; working directories are `file:` URIs below it, kept in
the client's own spelling. Source: DESIGN.md section 7.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from urllib.parse import unquote, urlsplit

from django.conf import settings

from ahp_platform.protocol.errors import InvalidParams, PermissionDenied


def root(slug: str) -> Path:
    """The tenant's directory."""
    return Path(settings.AHP_DATA_DIR).resolve() / "workspaces" / slug


def root_uri(slug: str) -> str:
    """The tenant's directory as clients see it (`defaultDirectory`)."""
    return root(slug).as_uri()


def own_directory(slug: str, session: str) -> str:
    """The URI of the directory that a session without working directories gets."""
    name = hashlib.sha256(session.encode()).hexdigest()[:20]
    return (root(slug) / "sessions" / name).as_uri()


def path_of(slug: str, uri: str) -> Path:
    """The path of a working directory; raises `PermissionDenied` for one outside the tenant's, without looking
    whether it exists.
    """
    parts = urlsplit(uri)
    if parts.scheme != "file" or parts.netloc not in ("", "localhost") or parts.query or parts.fragment:
        raise InvalidParams(f"workingDirectories: expected a file: URI, got {uri[:200]}")
    names = parts.path.split("/")[1:]
    decoded = [unquote(name) for name in names]
    if any(name == ".." or "/" in name or "\x00" in name for name in decoded):
        raise PermissionDenied("Outside of the permitted directories")
    path = Path("/", *decoded)
    if not path.is_relative_to(root(slug)):
        raise PermissionDenied("Outside of the permitted directories")
    return path
