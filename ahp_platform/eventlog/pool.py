"""Where do raw PostgreSQL connections come from?

One psycopg pool per event loop, apart from the ORM's connections: the hot path must not hop through threads.
Connections are in autocommit; whoever needs a transaction opens one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any
from weakref import WeakKeyDictionary

from django.conf import settings
from django.db import connection
from psycopg import AsyncConnection, OperationalError
from psycopg_pool import AsyncConnectionPool

Pool = AsyncConnectionPool[AsyncConnection[tuple[Any, ...]]]
Params = Sequence[object] | Mapping[str, object]

_pools: WeakKeyDictionary[asyncio.AbstractEventLoop, Pool] = WeakKeyDictionary()

# Tells our connections from the ORM's in `pg_stat_activity`.
APPLICATION = "ahp-log"

# How long a request may wait for a connection before the database counts as away.
ACQUIRE_TIMEOUT_S = 5.0


async def pool() -> Pool:
    """The open pool of the running event loop."""
    loop = asyncio.get_running_loop()
    found = _pools.get(loop)
    if found is None:
        found = _pools[loop] = _make()
        await found.open(wait=False)
    return found


async def close_pool() -> None:
    """Close the pool of the running event loop, if it has one."""
    found = _pools.pop(asyncio.get_running_loop(), None)
    if found is not None:
        await found.close()


async def fetch(query: str, params: Params) -> list[tuple[Any, ...]]:
    """The rows of one read.

    A connection that died while idle is replaced once; then `OperationalError` goes to the caller.
    """
    open_pool = await pool()
    for last in (False, True):
        try:
            async with open_pool.connection() as conn:
                return await (await conn.execute(query.encode(), params)).fetchall()
        except OperationalError:
            if last:
                raise
    raise AssertionError("unreachable")


def _make() -> Pool:
    params = connection.get_connection_params()
    for orm_only in ("cursor_factory", "context", "prepare_threshold", "server_side_binding"):
        params.pop(orm_only, None)
    return AsyncConnectionPool(
        kwargs={
            **params,
            "autocommit": True,
            "application_name": APPLICATION,
            # A server that is gone without a word is given up after this, in milliseconds (TCP only).
            "tcp_user_timeout": 10_000,
        },
        min_size=1,
        max_size=settings.AHP_POOL_SIZE,
        timeout=ACQUIRE_TIMEOUT_S,
        reconnect_timeout=5.0,
        open=False,
    )
