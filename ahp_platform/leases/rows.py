"""Which host holds which row, and for how long?

A claim takes waiting rows that nobody else is taking, raises their fence and sets a lease; the host renews the leases of all that it
holds with one statement. A row is claimed once: one whose lease has run out is never run again but taken over to be ended, since
nobody knows what has been done already. Source: DESIGN.md section 5.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, Generic, NamedTuple, Protocol, TypeVar
from uuid import UUID

from ahp_platform.eventlog.pool import fetch_across


class Lease(NamedTuple):
    """A row and the number with which it was claimed."""

    id: int
    fence: int


class Holder(NamedTuple):
    """Who claims, and for how many seconds at a time."""

    host: UUID
    lease_s: float


class Claimed(Protocol):
    """What is made of a claimed row."""

    @property
    def lease(self) -> Lease:
        """What holds it."""

    @property
    def tenant_id(self) -> int:
        """Whose it is."""


C = TypeVar("C", bound=Claimed)


class LeasedRows(Generic[C]):
    """The rows of one table (a `LeasedRow`). `columns` are read of a claimed row `t`; `made` makes of the lease and these what a host runs.

    `started` names a column that gets the time of the claim.
    """

    def __init__(
        self, table: str, columns: str, made: Callable[[Lease, Sequence[Any]], C], started: str | None = None
    ) -> None:
        self._made = made
        returning = f"RETURNING t.id, t.fence, {columns}"
        held = "host = %s, fence = t.fence + 1, lease_until = now() + make_interval(secs => %s)"
        begun = f", {started} = now()" if started else ""
        # The names are our own models'; nothing here comes from outside.
        self._claim = f"""
WITH free AS (SELECT id FROM {table} WHERE state = 'waiting' ORDER BY id LIMIT %s FOR UPDATE SKIP LOCKED)
UPDATE {table} t SET state = 'running', {held}{begun} FROM free WHERE t.id = free.id {returning}
"""  # noqa: S608
        self._take_over = f"""
WITH lost AS (
    SELECT id FROM {table} WHERE state = 'running' AND lease_until < now() ORDER BY lease_until LIMIT %s FOR UPDATE SKIP LOCKED
)
UPDATE {table} t SET {held} FROM lost WHERE t.id = lost.id {returning}
"""  # noqa: S608
        self._renew = f"""
UPDATE {table} t SET lease_until = now() + make_interval(secs => %s)
FROM unnest(%s::int8[], %s::int4[]) AS mine(id, fence)
WHERE t.id = mine.id AND t.fence = mine.fence AND t.host = %s AND t.state = 'running' RETURNING t.id, t.fence
"""  # noqa: S608

    async def claim(self, holder: Holder, limit: int) -> list[C]:
        """Take up to `limit` waiting rows, oldest first."""
        return await self._taken(self._claim, holder, limit)

    async def take_over(self, holder: Holder, limit: int) -> list[C]:
        """Take rows whose host no longer renews its lease: they are to be ended, not run."""
        return await self._taken(self._take_over, holder, limit)

    async def renew(self, holder: Holder, leases: Collection[Lease]) -> set[Lease]:
        """Renew the leases; returns those still held. The others have ended, or were lost to another host."""
        if not leases:
            return set()
        ids, fences = [lease.id for lease in leases], [lease.fence for lease in leases]
        return {Lease(*row) for row in await fetch_across(self._renew, (holder.lease_s, ids, fences, holder.host))}

    async def _taken(self, query: str, holder: Holder, limit: int) -> list[C]:
        rows: list[tuple[Any, ...]] = await fetch_across(query, (limit, holder.host, holder.lease_s))
        # PostgreSQL returns updated rows in no particular order.
        return [self._made(Lease(id, fence), rest) for id, fence, *rest in sorted(rows, key=lambda row: row[0])]
