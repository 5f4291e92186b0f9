"""How does a session get its workspace?

Runs in a Celery worker: directories and worktrees are made there, the outcome is appended to the log like everything
else, and the client that asked hears of the progress. Doing it twice does no harm. Source: DESIGN.md section 5.
"""

from __future__ import annotations

import asyncio
import logging
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from ahp_platform.agents import registry
from ahp_platform.eventlog.log import TenantLog
from ahp_platform.eventlog.pool import connection_of, fetch
from ahp_platform.eventlog.view import State
from ahp_platform.protocol import uris
from ahp_platform.protocol.errors import NotFound, ProtocolError
from ahp_platform.rpc.peer import peers
from ahp_platform.sandbox import Fence
from sessions_app import repository, sessions, workspace

logger = logging.getLogger(__name__)

STEPS = 3

_LOCK = "SELECT pg_try_advisory_lock(hashtextextended(%s, 0))"
_UNLOCK = "SELECT pg_advisory_unlock(hashtextextended(%s, 0))"

_PROGRESS = "SELECT progress_client, progress_token FROM sessions_app_session WHERE tenant_id = %s AND uri = %s"


async def prepare(log: TenantLog, uri: str) -> None:
    """Make the session's directories, then tell the session that it is ready or has failed."""
    try:
        state = await log.state(uri)
    except NotFound:
        return
    if state["lifecycle"] != "creating":
        return
    async with connection_of(log.tenant_id) as conn:
        # One worker at a time: a preparation that takes long is asked for again, and that one would begin by clearing.
        key = (f"prepare {log.tenant_id} {uri}",)
        ((mine,),) = await (await conn.execute(_LOCK, key)).fetchall()
        if mine:
            try:
                await _prepare(log, uri, state)
            finally:
                await conn.execute(_UNLOCK, key)


async def _prepare(log: TenantLog, uri: str, state: State) -> None:
    tell = await _teller(log, uri)
    agent = await registry.standing(state["provider"], log.tenant_id)
    if agent.waits:
        # Not waited for here, where others need the worker: a sweep asks for the preparation again and again.
        tell(1, agent.problem)
        return
    tell(1, "Making the workspace")
    error = {"errorType": "agent", "message": agent.problem} if agent.problem else await _made(log.slug, uri, state)
    tell(2, "Opening the session")
    await log.append(lambda view: sessions.prepared(view, uri, error))
    tell(STEPS, "Ready" if error is None else "Failed")


async def _made(slug: str, uri: str, state: State) -> Mapping[str, str] | None:
    """Make everything; the `ErrorInfo` where that fails."""
    try:
        await _make(slug, uri, state)
    except (OSError, repository.GitFailed, ProtocolError) as failure:
        logger.warning("a workspace could not be prepared", exc_info=failure)
        reason = f": {failure}" if isinstance(failure, repository.GitFailed) else ""
        return {"errorType": "workspace", "message": f"The workspace could not be prepared{reason}"}
    return None


async def _make(slug: str, uri: str, state: State) -> None:
    # What an earlier session with this URI left behind is not for this one to find.
    await _remove_own(slug, uri)
    values = state["config"]["values"]
    for directory in state["workingDirectories"]:
        path = workspace.path_of(slug, directory)
        if directory == workspace.worktree(slug, uri) and values.get("target") == "worktree":
            path.mkdir(parents=True)
            source = workspace.path_of(slug, state["project"]["uri"])
            await repository.add_worktree(Fence(slug, uri), source, path, values["baseBranch"])
        else:
            path.mkdir(parents=True, exist_ok=True)


async def clear(log: TenantLog, uri: str) -> None:
    """Remove what a disposed session had for itself; nothing where it exists again."""
    try:
        await log.state(uri)
    except NotFound:
        await _remove_own(log.slug, uri)


async def _remove_own(slug: str, uri: str) -> None:
    """Remove the session's own directory and worktree. Links in them are removed, not followed."""
    own, worktree = (workspace.path_of(slug, each(slug, uri)) for each in (workspace.own_directory, workspace.worktree))
    await repository.forget_worktree(Fence(slug, uri), worktree)
    await asyncio.to_thread(_remove, own, worktree)


def _remove(*directories: Path) -> None:
    for path in directories:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)


async def _teller(log: TenantLog, uri: str) -> Callable[[int, str], None]:
    """A function that sends `root/progress` to the client that wants it, or does nothing."""
    rows = await fetch(_PROGRESS, (log.tenant_id, uri), tenant=log.tenant_id)
    client, token = rows[0] if rows else (None, None)

    def tell(done: int, message: str) -> None:
        if client is not None:
            progress = {"progressToken": token, "progress": done, "total": STEPS, "message": message}
            peers.tell(log.tenant_id, client, "root/progress", {"channel": uris.ROOT, **progress})

    return tell
