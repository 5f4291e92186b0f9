"""Which sockets are open in all processes, and which of them shall end? For quotas and for operators."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from ahp_platform.eventlog.gathered import Gathered
from ahp_platform.eventlog.pool import fetch_across
from ahp_platform.eventlog.workers import ALIVE_S, WORKER_ID
from ahp_platform.rpc.context import Context
from auth_app import quotas

_OPENED = """
INSERT INTO auth_app_opensocket (id, worker_id, tenant_id, user_id, client_id, address, opened_at, ending)
SELECT s.*, now(), false FROM
    unnest(%s::uuid[], %s::uuid[], %s::int8[], %s::int8[], %s::text[], %s::text[]) AS s
ON CONFLICT (id) DO UPDATE SET client_id = excluded.client_id RETURNING id
"""
# Socket, process, tenant, user, client and address.
Row = tuple[UUID, UUID, int, int, str, str]

_HELD_BY_THE_DEAD = """
DELETE FROM auth_app_opensocket o WHERE NOT EXISTS (
    SELECT FROM eventlog_worker w WHERE w.id = o.worker_id AND w.seen_at > now() - make_interval(secs => %s)
) AND opened_at < now() - make_interval(secs => %s) RETURNING id
"""


async def opened(context: Context, client_id: str) -> None:
    """A socket has introduced itself; raises where there is no room for it."""
    who = context.principal
    await quotas.require(context, quotas.SOCKETS)
    address = getattr(who, "address", "")
    row = UUID(context.connection.id), WORKER_ID, who.tenant_id, who.user_id, client_id.replace("\x00", ""), address
    await _open(row)


async def closed(context: Context) -> None:
    """A socket is gone."""
    await _close(UUID(context.connection.id))


async def _insert(rows: Sequence[Row]) -> dict[Row, None]:
    latest = {row[0]: row for row in rows}
    await fetch_across(_OPENED, [list(column) for column in zip(*latest.values(), strict=True)])
    return {}


async def _delete(ids: Sequence[UUID]) -> dict[UUID, None]:
    await fetch_across("DELETE FROM auth_app_opensocket WHERE id = ANY(%s) RETURNING id", (list(ids),))
    return {}


_open, _close = Gathered(_insert), Gathered(_delete)


async def to_end() -> set[str]:
    """The ids of the sockets of this process that an operator has ended; rows of dead processes are cleared away."""
    await fetch_across(_HELD_BY_THE_DEAD, (ALIVE_S, ALIVE_S))
    rows = await fetch_across("SELECT id FROM auth_app_opensocket WHERE ending AND worker_id = %s", (WORKER_ID,))
    return {row[0].hex for row in rows}
