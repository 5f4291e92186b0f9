"""Which watches does this process run, and when are they released?

A watch ends soon after its last subscriber anywhere: a process that runs one and has no subscriber of its own asks the
others, and takes silence for an answer when it is repeated. What a dead process ran is closed by a sweep. Source:
PROTOCOL.md section 12.
"""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from django.conf import settings

from ahp_platform.eventlog.log import TenantLog
from ahp_platform.eventlog.logs import logs
from ahp_platform.eventlog.pool import fetch, fetch_across
from ahp_platform.eventlog.view import View
from ahp_platform.eventlog.workers import ALIVE_S, WORKER_ID
from ahp_platform.fanout import groups
from ahp_platform.fanout.hub import Message, hub
from ahp_platform.protocol.errors import InvalidRequest
from ahp_platform.rpc.context import Context
from ahp_platform.rpc.table import Params
from ahp_platform.workspaces import reading
from ahp_platform.workspaces.fence import Fence
from ahp_platform.workspaces.paths import Names
from changesets_app.access import Access
from changesets_app.refusals import told
from changesets_app.threads import in_thread
from changesets_app.watches.globs import Globs
from changesets_app.watches.inotify import Inotify
from changesets_app.watches.tree import Place, WatchedTree
from changesets_app.watches.watch import Described, Watch

logger = logging.getLogger(__name__)

CHECK_EVERY_S = 0.5
# How long a new watch waits for its first subscriber, and how long one that had some for another.
FIRST_S, NEXT_S = 30.0, 1.2

_COUNT = "SELECT count(*) FROM changesets_app_watch WHERE tenant_id = %s"
_INSERT = "INSERT INTO changesets_app_watch (tenant_id, uri, worker_id) VALUES (%s, %s, %s)"
_DELETE = "DELETE FROM changesets_app_watch WHERE tenant_id = %s AND uri = %s"
_ORPHANS = """
SELECT tenant_id, uri FROM changesets_app_watch w WHERE NOT EXISTS (
    SELECT FROM eventlog_worker k WHERE k.id = w.worker_id AND k.seen_at > now() - make_interval(secs => %s)
) LIMIT 500
"""


class Watches:
    """The watches of this process."""

    def __init__(self) -> None:
        self._running: dict[str, Watch] = {}
        # Until when a watch is kept although nobody here follows it, by time.monotonic().
        self._kept_until: dict[str, float] = {}
        # Asked every time: the place may have been open for a time only, or its session may be private by now.
        self._is_open: dict[str, Callable[[], Awaitable[bool]]] = {}
        self._checker: asyncio.Task[None] | None = None
        self._queue: Inotify | None = None

    def listen(self) -> None:
        """Answer other processes, and hear their answers."""
        hub.on("watch.asked", self._asked)
        hub.on("watch.followed", self._followed)

    async def create(self, context: Context, access: Access, params: Params) -> dict[str, str]:
        """`createResourceWatch`: nothing that happens after the answer is missed."""
        ((running,),) = await fetch(_COUNT, (context.log.tenant_id,), tenant=context.log.tenant_id)
        if running >= settings.AHP_MAX_WATCHES:
            raise InvalidRequest(f"A tenant may hold at most {settings.AHP_MAX_WATCHES} resource watches")
        uri = f"ahp-resource-watch:/{uuid.uuid4()}"
        with told(params["uri"]):
            what = await _described(context, access, params)
            watch = Watch(uri, context.log, self._kernel(), what)
            await watch.arm()
        try:
            await context.log.append(partial(_opened, uri=uri, params=params), user_id=context.principal.user_id)
        except BaseException:
            await watch.stop()
            raise
        context.log.when_left(self._left)
        self._running[uri] = watch
        self._is_open[uri] = partial(access.is_open, context, params["uri"], what.place.names)
        self._kept_until[uri] = time.monotonic() + FIRST_S
        watch.start(partial(self._give_up, uri))
        if self._checker is None:
            self._checker = asyncio.create_task(self._check())
        return {"channel": uri}

    def tree(
        self, fence: Fence, names: Names, wanted: Callable[[Names], bool], woken: Callable[[], None]
    ) -> WatchedTree:
        """A directory and what is below it, watched for somebody else; whoever takes it closes it."""
        return WatchedTree(self._kernel(), Place(fence, names), True, wanted, woken)

    async def stop(self) -> None:
        """The process ends: so do its watches."""
        if self._checker is not None:
            self._checker.cancel()
            await asyncio.gather(self._checker, return_exceptions=True)
            self._checker = None
        for uri in tuple(self._running):
            await self._release(uri)
        if self._queue is not None:
            asyncio.get_running_loop().remove_reader(self._queue.fd)
            self._queue.close()
            self._queue = None

    def _kernel(self) -> Inotify:
        if self._queue is None:
            self._queue = Inotify()
            asyncio.get_running_loop().add_reader(self._queue.fd, self._queue.pump)
        return self._queue

    async def _check(self) -> None:
        while True:
            await asyncio.sleep(CHECK_EVERY_S)
            for uri, watch in tuple(self._running.items()):
                try:
                    await self._look_after(uri, watch)
                except Exception:
                    logger.exception("a watch could not be released")

    async def _look_after(self, uri: str, watch: Watch) -> None:
        if not await self._is_open[uri]():
            await self._release(uri)
            return
        now, kept_until = time.monotonic(), self._kept_until[uri]
        if kept_until and watch.log.is_followed(uri):
            self._kept_until[uri] = now + NEXT_S
        elif now > kept_until and (not kept_until or not hub.broken_for()):
            await self._release(uri)
        else:
            asked = {"type": "watch.asked", "tenant": watch.log.tenant_id, "watch": uri, "reply_to": hub.channel_name}
            hub.publish(groups.of_tenant(watch.log.tenant_id), asked)

    def _left(self, uri: str) -> None:
        if self._kept_until.get(uri):
            self._kept_until[uri] = time.monotonic() + NEXT_S

    def _give_up(self, uri: str) -> None:
        if uri in self._kept_until:
            self._kept_until[uri] = 0.0

    async def _release(self, uri: str) -> None:
        watch = self._running.pop(uri)
        del self._kept_until[uri], self._is_open[uri]
        await watch.stop()
        await close(watch.log, uri)

    def _asked(self, message: Message) -> None:
        if any(log.tenant_id == message["tenant"] and log.is_followed(message["watch"]) for log in logs):
            hub.send(message["reply_to"], {"type": "watch.followed", "watch": message["watch"]})

    def _followed(self, message: Message) -> None:
        if self._kept_until.get(message["watch"]):
            self._kept_until[message["watch"]] = time.monotonic() + NEXT_S


async def sweep() -> None:
    """Close the watches of dead processes."""
    for tenant_id, uri in await fetch_across(_ORPHANS, (ALIVE_S,)):
        await close(await logs.open(tenant_id), uri)


async def close(log: TenantLog, uri: str) -> None:
    """The watch and its channel are no more."""

    def plan(view: View) -> None:
        if view.exists(uri):
            view.close(uri)
            view.sql(_DELETE, (view.tenant_id, uri))

    await log.append(plan)


def _opened(view: View, uri: str, params: Params) -> None:
    optional = {name: params[name] for name in ("includes", "excludes") if name in params}
    state: dict[str, Any] = {"root": params["uri"], "recursive": params.get("recursive", False)} | optional
    view.open(uri, "resource_watch", state, readers=[view.user_id] if view.user_id is not None else [])
    view.sql(_INSERT, (view.tenant_id, uri, WORKER_ID))


async def _described(context: Context, access: Access, params: Params) -> Described:
    fence, names = await access.reach(context, params["uri"])
    found = await in_thread(lambda: reading.find(fence, names, follow=True))
    is_file = found.kind == reading.FILE
    return Described(
        root=params["uri"],
        place=Place(fence, found.names[:-1] if is_file else found.names),
        only=found.names[-1] if is_file else None,
        recursive=params.get("recursive", False),
        includes=Globs(params["includes"]["items"]) if "includes" in params else None,
        excludes=Globs(params.get("excludes", {"items": []})["items"]),
    )


watches = Watches()
