"""Which directories may sessions of a tenant work in?

Working directories are `file:` URIs below the tenant's directory, kept in the client's own spelling. A session without
any gets a directory of its own, which belongs to those who see the session. Source: DESIGN.md section 7.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from urllib.parse import unquote

from ahp_platform.eventlog.pool import fetch
from ahp_platform.eventlog.view import Readers
from ahp_platform.protocol.errors import InvalidParams, PermissionDenied
from ahp_platform.workspaces import paths

_READERS = """
SELECT name, readers FROM (
    SELECT left(encode(sha256(convert_to(uri, 'UTF8')), 'hex'), 20) AS name, readers
    FROM sessions_app_session WHERE tenant_id = %s
) AS own WHERE name = ANY(%s)
"""


def root(slug: str) -> Path:
    """The tenant's directory."""
    return paths.root(slug)


def root_uri(slug: str) -> str:
    """The tenant's directory as clients see it (`defaultDirectory`)."""
    return root(slug).as_uri()


def own_directory(slug: str, session: str) -> str:
    """The URI of the directory that a session without working directories gets."""
    return (root(slug) / paths.SESSIONS / paths.own_directory_name(session)).as_uri()


def worktree(slug: str, session: str) -> str:
    """The URI of the git worktree that a session gets which asks for one."""
    return (root(slug) / paths.WORKTREES / paths.own_directory_name(session)).as_uri()


def project(directory: str) -> dict[str, str]:
    """The `ProjectInfo` of a session that was begun in this directory; a worktree is made of it."""
    return {"uri": directory, "displayName": unquote(directory.rstrip("/").rsplit("/", 1)[-1])}


def path_of(slug: str, uri: str) -> Path:
    """The path of a working directory; raises `PermissionDenied` for one outside the tenant's, without looking
    whether it exists.
    """
    try:
        return root(slug).joinpath(*paths.names_of(root(slug), uri))
    except paths.NotAFileUri:
        raise InvalidParams(f"workingDirectories: expected a file: URI, got {uri[:200]}") from None
    except paths.LeadsOut:
        raise PermissionDenied("Outside of the permitted directories") from None


def require_workable(slug: str, session: str, uri: str) -> None:
    """Raise `PermissionDenied` unless the session may work there: outside, and what belongs to another session, is not
    to be had by naming it.
    """
    names = path_of(slug, uri).relative_to(root(slug)).parts
    if len(names) > 1 and names[0] in paths.OWN_DIRECTORIES and names[1] != paths.own_directory_name(session):
        raise PermissionDenied("Outside of the permitted directories")


async def readers_of_own_directories(tenant_id: int, names: Collection[str]) -> Mapping[str, Readers]:
    """Who may enter the own directories with these names; those that belong to no session are left out."""
    return dict(await fetch(_READERS, (tenant_id, list(names)), tenant=tenant_id) if names else ())
