"""Which sockets does this process hold, and which of them must end?

Once a second every principal is checked again, for all sockets at once: a revoked token, a removed or demoted member
and a session that became private reach open sockets within two seconds. Source: DESIGN.md section 6.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from contextlib import suppress
from typing import Any

from django.conf import settings

from ahp_platform.connection.socket import Socket
from ahp_platform.eventlog.logs import logs
from ahp_platform.fanout.hub import hub
from ahp_platform.protocol.errors import NotFound
from ahp_platform.rpc.context import Context, Ended
from ahp_platform.rpc.peer import peers

logger = logging.getLogger(__name__)

CHECK_EVERY_S = 1.0
GOING_AWAY_CLOSE = 1012
TRY_LATER_CLOSE = 1013
# A request waits for the database about so long: who asked before it went away is answered before the socket closes.
DATABASE_GRACE_S = 5.0
DRAIN_S = 5.0

StillValid = Callable[[Collection[Any]], Awaitable[Mapping[Any, Any]]]


async def _nothing(_: Context) -> None:
    """Nobody wants to hear of departures."""


class Sockets:
    """The open sockets of the process."""

    def __init__(self) -> None:
        self._sockets: set[Socket] = set()
        self._empty = asyncio.Event()
        self._empty.set()
        self._checkers: list[asyncio.Task[None]] = []
        self._still_valid: StillValid | None = None
        self._departed: Callable[[Context], Awaitable[None]] = _nothing
        self._seen_readers: dict[int, int] = {}

    def configure(self, still_valid: StillValid, departed: Callable[[Context], Awaitable[None]]) -> None:
        """Wiring: who re-checks principals, and who is told of a client that has gone."""
        self._still_valid, self._departed = still_valid, departed

    def start(self) -> None:
        """Begin to check."""
        # Apart from each other: the question that a stopped database does not answer must not hide that it is away.
        checks = self._check_backends, self._check_principals, self._check_readers
        self._checkers = [asyncio.create_task(self._forever(check)) for check in checks]

    async def stop(self) -> None:
        """Close everything with "service restart" and wait for the sockets to end."""
        for checker in self._checkers:
            checker.cancel()
        for socket in self._sockets:
            socket.close(GOING_AWAY_CLOSE, "the host restarts")
        with suppress(TimeoutError):
            await asyncio.wait_for(self._empty.wait(), DRAIN_S)

    def add(self, socket: Socket) -> None:
        """A socket was accepted."""
        self._sockets.add(socket)
        self._empty.clear()

    async def remove(self, socket: Socket) -> None:
        """A socket is gone."""
        self._sockets.discard(socket)
        if not self._sockets:
            self._empty.set()
        socket.leave()
        if socket.client.client_id:
            peers.remove(socket.principal.tenant_id, socket)
            try:
                await self._departed(socket.context)
            except Exception:
                logger.exception("a departure was not recorded")

    def __iter__(self) -> Iterator[Socket]:
        return iter(tuple(self._sockets))

    def __len__(self) -> int:
        return len(self._sockets)

    async def _forever(self, check: Callable[[], Awaitable[None]]) -> None:
        while True:
            await asyncio.sleep(CHECK_EVERY_S)
            try:
                await check()
            except Exception:
                logger.exception("open sockets could not be checked")

    async def _check_backends(self) -> None:
        # A process that cannot hear the others for long serves nobody well: its clients find another one.
        if hub.broken_for() > settings.AHP_REDIS_GRACE_S or logs.database_away_for() > DATABASE_GRACE_S:
            for socket in tuple(self._sockets):
                socket.close(TRY_LATER_CLOSE, "try again later")

    async def _check_principals(self) -> None:
        if not self._sockets or self._still_valid is None or not logs.database_ok:
            return
        now = await self._still_valid({s.principal for s in self._sockets})
        for socket in tuple(self._sockets):
            principal = now.get(socket.principal, socket.principal)
            if isinstance(principal, Ended):
                socket.shut(principal.code, principal.reason)
                # Whatever still waits to be sent must not be: the rights are gone already.
                for uri in tuple(socket.subscriptions):
                    socket.unsubscribe(uri)
            elif principal != socket.principal:
                socket.principal = principal
                await self._drop_unreadable(socket)

    async def _check_readers(self) -> None:
        moved = {log.tenant_id: log.readers_changed for log in logs}
        changed = {tenant for tenant, count in moved.items() if self._seen_readers.get(tenant, 0) != count}
        self._seen_readers = moved
        for socket in tuple(self._sockets):
            if socket.principal.tenant_id in changed:
                await self._drop_unreadable(socket)

    async def _drop_unreadable(self, socket: Socket) -> None:
        for uri in tuple(socket.subscriptions):
            try:
                if not socket.may_read(await socket.context.log.readers_of(uri)):
                    socket.unsubscribe(uri)
            except NotFound:
                continue  # its end is on its way as an entry of the log


sockets = Sockets()
