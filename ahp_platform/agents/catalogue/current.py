"""Which rows does this process know, and how does it hear of changes?

It looks at the catalogue's number once a second and reads the rows when that has moved; nobody else asks the database. Whoever acts
on a difference between the rows and what the log says does so inside `settled`, where the rows are the newest and nobody else acts:
else a process that has not looked yet would undo what another has just announced.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager

import psycopg

from ahp_platform.agents.catalogue import entry as entries
from ahp_platform.agents.catalogue.row_backend import Maker, RowBackend
from ahp_platform.eventlog.pool import connection_across

logger = logging.getLogger(__name__)

LOOK_EVERY_S = 1.0

_LOCK = "SELECT pg_advisory_lock(hashtextextended('agents catalogue', 0))"
_UNLOCK = "SELECT pg_advisory_unlock(hashtextextended('agents catalogue', 0))"

Listener = Callable[[], Awaitable[None]]


class Catalogue:
    """The rows that this process knows."""

    def __init__(self, make: Maker) -> None:
        self._make = make
        self._number = -1
        self._backends: dict[str, RowBackend] = {}
        self._listeners: list[Listener] = []
        self._settling = asyncio.Lock()

    @property
    def backends(self) -> Mapping[str, RowBackend]:
        """Every row by provider, those that are switched off too."""
        return self._backends

    def when_changed(self, listener: Listener) -> None:
        """Call and await this after each change that the process has taken in."""
        self._listeners[:] = [listener]

    async def refresh(self) -> bool:
        """Take in what has changed since the last look; whether anything had."""
        # The number first: a change that comes in between is read now and looked at once more.
        number = await entries.number()
        if number == self._number:
            return False
        self._take(await entries.read())
        self._number = number
        return True

    async def begin(self) -> None:
        """The first look, before anybody is served. Where the database is away it comes later."""
        try:
            await self.refresh()
        except psycopg.Error as error:
            logger.warning("the agents' rows could not be read: %s", type(error).__name__)

    async def refresh_forever(self) -> None:
        """Look every second. A look that fails, and one whose listener failed, is followed by another that does its work."""
        told = self._number
        while True:
            try:
                await self.refresh()
                if told != self._number:
                    wanted = self._number
                    for listener in self._listeners:
                        await listener()
                    told = wanted
            except Exception as error:  # noqa: BLE001 - whatever it is, the next look tries again
                logger.warning("the agents' rows could not be read: %s", type(error).__name__)
            await asyncio.sleep(LOOK_EVERY_S)

    @asynccontextmanager
    async def settled(self) -> AsyncIterator[None]:
        """The newest rows, and nobody else who acts on them, in any process."""
        # One at a time in this process, so that waiting takes one connection at most.
        async with self._settling, connection_across() as connection:
            await connection.execute(_LOCK)
            try:
                await self.refresh()
                yield
            finally:
                await connection.execute(_UNLOCK)

    def _take(self, rows: list[entries.Entry]) -> None:
        taken: dict[str, RowBackend] = {}
        for row in rows:
            known = self._backends.get(row.provider)
            try:
                taken[row.provider] = known if known and known.entry == row else RowBackend(row, self._make)
            except (LookupError, TypeError, ValueError):
                # What an agent reported of itself, or what was written past the admin site, spoils no other agent.
                logger.exception("the row of agent %s makes no sense", row.provider)
        self._backends = taken
