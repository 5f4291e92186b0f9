"""How much room do a tenant's actions take, and up to which of them must go so that the rest has its share?

Each process that trims keeps running sums, a few hundred rows each, so that a look reads only what is new since the one before. Sizes
are those on the disk, where PostgreSQL has compressed what is long.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from ahp_platform.eventlog.pool import fetch, fetch_across

# Rows of one sum, and what each takes besides its body: the other columns and its entries in three indexes.
ROWS = 250
ROW_BYTES = 300

_SIZES = """
SELECT max(seq), sum(pg_column_size(body) + %s)::int8 FROM eventlog_event
WHERE tenant_id = %s AND seq > %s AND seq <= %s GROUP BY (seq - 1) / %s ORDER BY 1
"""
_TABLE = "SELECT pg_total_relation_size('eventlog_event')"


class Sum(NamedTuple):
    """The bytes of some rows, up to that number."""

    until: int
    size: int


class Weights:
    """The sums of all tenants, as far as they have been looked at."""

    def __init__(self) -> None:
        self._sums: dict[int, deque[Sum]] = {}
        self._looked: dict[int, int] = {}

    async def due(self, tenant_id: int, floor: int, seq: int, limit: int) -> int:
        """Up to which number the rows above `floor` must go, so that those up to `seq` take at most `limit` bytes."""
        sums = await self._until(tenant_id, floor, seq)
        total, due = sum(each.size for each in sums), floor
        for each in sums:
            if total <= limit:
                break
            total, due = total - each.size, each.until
        return due

    async def _until(self, tenant_id: int, floor: int, seq: int) -> deque[Sum]:
        if self._looked.get(tenant_id, 0) > seq:  # the database is an older one
            del self._sums[tenant_id], self._looked[tenant_id]
        sums = self._sums.setdefault(tenant_id, deque())
        while sums and sums[0].until <= floor:
            sums.popleft()
        looked = max(floor, self._looked.get(tenant_id, floor))
        if looked < seq:
            rows = await fetch(_SIZES, (ROW_BYTES, tenant_id, looked, seq, ROWS), tenant=tenant_id)
            sums.extend(Sum(*row) for row in rows)
            self._looked[tenant_id] = seq
        return sums


async def table_size() -> int:
    """What the actions of all tenants take together, in bytes, at once."""
    ((size,),) = await fetch_across(_TABLE, ())  # about no row at all
    return int(size)
