"""How does a session get its workspace?

Runs in a Celery worker: directories and worktrees are made there, the outcome is appended to the log like everything
else, and the client that asked hears of the progress. Doing it twice does no harm. Source: DESIGN.md section 5.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

from ahp_platform.eventlog.log import TenantLog
from ahp_platform.eventlog.pool import fetch
from ahp_platform.eventlog.view import State
from ahp_platform.protocol import uris
from ahp_platform.protocol.errors import NotFound, ProtocolError
from ahp_platform.rpc.peer import peers
from ahp_platform.workspaces import paths
from sessions_app import repository, sessions, workspace

logger = logging.getLogger(__name__)

STEPS = 3

_PROGRESS = "SELECT progress_client, progress_token FROM sessions_app_session WHERE tenant_id = %s AND uri = %s"


async def prepare(log: TenantLog, uri: str) -> None:
    """Make the session's directories, then tell the session that it is ready or has failed."""
    try:
        state = await log.state(uri)
    except NotFound:
        return
    if state["lifecycle"] != "creating":
        return
    tell = await _teller(log, uri)
    tell(1, "Making the workspace")
    error: str | None = None
    try:
        await _make(log.slug, uri, state)
    except (OSError, repository.GitFailed, ProtocolError) as failure:
        logger.warning("a workspace could not be prepared", exc_info=failure)
        error = "The workspace could not be prepared"
        if isinstance(failure, repository.GitFailed):
            error = f"{error}: {failure}"
    tell(2, "Opening the session")
    await log.append(lambda view: sessions.prepared(view, uri, error))
    tell(STEPS, "Ready" if error is None else "Failed")


async def _make(slug: str, uri: str, state: State) -> None:
    values = state["config"]["values"]
    for directory in state["workingDirectories"]:
        path = workspace.path_of(slug, directory)
        if values.get("target") == "worktree" and directory == state["workingDirectories"][0]:
            await _make_worktree(slug, uri, path, values["baseBranch"])
        else:
            path.mkdir(parents=True, exist_ok=True)


async def _make_worktree(slug: str, uri: str, source: Path, base: str) -> None:
    target = worktree_of(slug, uri)
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        await repository.add_worktree(source, target, base)


def worktree_of(slug: str, uri: str) -> Path:
    """Where the worktree of a session is."""
    return paths.root(slug) / paths.WORKTREES / paths.own_directory_name(uri)


async def _teller(log: TenantLog, uri: str) -> Callable[[int, str], None]:
    """A function that sends `root/progress` to the client that wants it, or does nothing."""
    rows = await fetch(_PROGRESS, (log.tenant_id, uri))
    client, token = rows[0] if rows else (None, None)

    def tell(done: int, message: str) -> None:
        if client is not None:
            progress = {"progressToken": token, "progress": done, "total": STEPS, "message": message}
            peers.tell(log.tenant_id, client, "root/progress", {"channel": uris.ROOT, **progress})

    return tell
