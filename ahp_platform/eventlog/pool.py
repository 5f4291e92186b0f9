"""Where do raw PostgreSQL connections come from, and whose rows do they show?

Two psycopg pools per event loop, apart from the ORM's connections: the hot path must not hop through threads. Those of the one
show the rows of one tenant, which each remembers, so that a process that serves one busy tenant sends nothing more for it; those of the
other look across tenants, under a role that may. Connections are in autocommit; whoever needs a transaction opens one.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from django.conf import settings
from psycopg import AsyncConnection, OperationalError
from psycopg.pq import TransactionStatus
from psycopg_pool import AsyncConnectionPool

from ahp_platform.db import connection_params
from ahp_platform.row_security import names

Params = Sequence[object] | Mapping[str, object]
Rows = list[tuple[Any, ...]]
AcrossConnection = AsyncConnection[tuple[Any, ...]]

# Tells our connections from the ORM's in `pg_stat_activity`.
APPLICATION = "ahp-log"

# How long a request may wait for a connection before the database counts as away.
ACQUIRE_TIMEOUT_S = 5.0

_SET_TENANT = f"SELECT set_config('{names.TENANT_SETTING}', %s, false)"


class TenantConnection(AsyncConnection[tuple[Any, ...]]):
    """A connection that shows the rows of one tenant; None as long as it is not known whose."""

    tenant: int | None = None

    @asynccontextmanager
    async def showing(self, tenant: int) -> AsyncIterator[None]:
        """Statements inside are about this tenant; where it is another than before, they go in one round trip with the change."""
        if self.tenant == tenant:
            yield
            return
        if self.info.transaction_status not in (TransactionStatus.IDLE, TransactionStatus.UNKNOWN):
            # It would be undone with the transaction, behind our back.
            raise RuntimeError("the tenant of a connection changes outside of transactions only")
        self.tenant = None
        async with self.pipeline():
            await self.execute(_SET_TENANT, (str(tenant),), prepare=True)
            yield
        self.tenant = tenant

    async def show(self, tenant: int) -> None:
        """From now on, also inside of transactions that begin later."""
        async with self.showing(tenant):
            pass


class _Pools(NamedTuple):
    tenants: AsyncConnectionPool[TenantConnection]
    across: AsyncConnectionPool[AcrossConnection]


_pools: WeakKeyDictionary[asyncio.AbstractEventLoop, _Pools] = WeakKeyDictionary()


async def fetch(query: str, params: Params, *, tenant: int) -> Rows:
    """The rows of one statement about one tenant.

    A connection that died while idle is replaced once; then `OperationalError` goes to the caller.
    """
    pools = await _open_pools()
    for last in (False, True):
        try:
            async with pools.tenants.connection() as conn:
                async with conn.showing(tenant):
                    cursor = await conn.execute(query.encode(), params)
                return await cursor.fetchall()
        except OperationalError:
            if last:
                raise
    raise AssertionError("unreachable")


async def fetch_across(query: str, params: Params) -> Rows:
    """The rows of one statement about several tenants or none, as `fetch`. Say at the call why it is not about one."""
    pools = await _open_pools()
    for last in (False, True):
        try:
            async with pools.across.connection() as conn:
                return await (await conn.execute(query.encode(), params)).fetchall()
        except OperationalError:
            if last:
                raise
    raise AssertionError("unreachable")


@asynccontextmanager
async def connection_of(tenant: int) -> AsyncIterator[TenantConnection]:
    """A connection that shows this tenant's rows, for transactions and for locks."""
    async with (await _open_pools()).tenants.connection() as conn:
        await conn.show(tenant)
        yield conn


@asynccontextmanager
async def connection_across() -> AsyncIterator[AcrossConnection]:
    """A connection that looks across tenants."""
    async with (await _open_pools()).across.connection() as conn:
        yield conn


async def take() -> TenantConnection:
    """A connection to keep; whoever uses it says for which tenant (`showing`), and gives it back."""
    return await (await _open_pools()).tenants.getconn()


async def give_back(conn: TenantConnection) -> None:
    """The pool looks whether it is broken."""
    await (await _open_pools()).tenants.putconn(conn)


async def close_pool() -> None:
    """Close the pools of the running event loop, if it has them."""
    found = _pools.pop(asyncio.get_running_loop(), None)
    for each in found or ():
        await each.close()


async def _open_pools() -> _Pools:
    loop = asyncio.get_running_loop()
    found = _pools.get(loop)
    if found is None:
        found = _pools[loop] = _Pools(
            _make(TenantConnection, settings.AHP_POOL_SIZE, _params()),
            _make(AsyncConnection, max(2, settings.AHP_POOL_SIZE // 4), _across(_params())),
        )
        for each in found:
            await each.open(wait=False)
    return found


def _make(kind: type[Any], size: int, params: Mapping[str, Any]) -> AsyncConnectionPool[Any]:
    return AsyncConnectionPool(
        connection_class=kind,
        check=_still_there,
        kwargs={
            **params,
            "autocommit": True,
            "application_name": APPLICATION,
            # A server that is gone without a word is given up after this, in milliseconds (TCP only).
            "tcp_user_timeout": 10_000,
        },
        min_size=1,
        max_size=size,
        timeout=ACQUIRE_TIMEOUT_S,
        reconnect_timeout=5.0,
        open=False,
    )


async def _still_there(conn: AsyncConnection[Any]) -> None:
    """Raise where the server has ended the connection while it was idle, as all are by a restart; looking costs no round trip."""
    for _ in ("its last words", "the end"):
        conn.pgconn.consume_input()


def _params() -> dict[str, Any]:
    params = connection_params()
    if settings.AHP_DATABASE_ROLE != names.APPLICATION:
        return params
    own = names.as_application({"NAME": params["dbname"]}, settings.SECRET_KEY)
    return {**params, "user": own["USER"], "password": own["PASSWORD"]}


def _across(params: dict[str, Any]) -> dict[str, Any]:
    """As the role across tenants from the start, which no statement and no reset changes."""
    if settings.AHP_DATABASE_ROLE != names.APPLICATION:
        return params
    role = f"-c role={names.across_role(params['dbname'])}"
    return {**params, "options": " ".join(filter(None, (params.get("options"), role)))}
