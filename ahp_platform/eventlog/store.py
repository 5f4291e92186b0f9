"""How does the log read and write PostgreSQL?

Rows in, values out: no caching and no decisions here. Source: DESIGN.md section 3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from psycopg import errors

from ahp_platform.eventlog import sql
from ahp_platform.eventlog.entry import Entry, Origin, from_row
from ahp_platform.eventlog.pool import TenantConnection, connection_of, fetch, fetch_across
from ahp_platform.eventlog.view import ChannelView, Event, State
from ahp_platform.protocol import jsonrpc
from ahp_platform.protocol.channel import reduce

Statement = tuple[str, Sequence[object]]

# The list of a channel's state whose items are rows of their own, written once (DESIGN.md section 3: completed turns).
SEGMENTED: Mapping[str, str] = {"chat": "turns"}

ONCE_PER_CLIENT_SEQ = "event_once_per_client_seq"

_decode = msgspec.json.decode


class Behind(Exception):
    """Somebody else wrote to the tenant since we looked; nothing was written."""


class AlreadyDispatched(Exception):
    """An action of the batch bears a (clientId, clientSeq) that was used before; nothing was written."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """A channel as the database has it at some number.

    `since` counts the actions after its checkpoint, `grown` their bytes, `size` those of the checkpoint.
    """

    view: ChannelView
    since: int
    grown: int
    size: int


async def clock(tenant_id: int) -> tuple[int, int]:
    """The tenant's last number and its replay floor."""
    ((seq, floor),) = await fetch(sql.CLOCK, (tenant_id,), tenant=tenant_id)
    return seq, floor


async def clocks(tenant_ids: Sequence[int]) -> dict[int, int]:
    """The last number of each tenant."""
    return dict(await fetch_across(sql.CLOCKS, (list(tenant_ids),)))


async def after(tenant_id: int, seq: int, limit: int, conn: TenantConnection | None = None) -> list[Entry]:
    """At most `limit` rows above `seq`, in order."""
    params = (tenant_id, seq, limit)
    if conn is None:
        rows = await fetch(sql.AFTER, params, tenant=tenant_id)
    else:
        rows = await (await conn.execute(sql.AFTER, params)).fetchall()
    return [from_row(row) for row in rows]


async def replay(tenant_id: int, seq: int, until: int, channels: Sequence[str]) -> list[Entry]:
    """The actions of these channels with `seq` < number <= `until`, in order."""
    rows = await fetch(sql.REPLAY, (tenant_id, seq, until, list(channels)), tenant=tenant_id)
    return [from_row(row) for row in rows]


async def load(tenant_id: int, uri: str, conn: TenantConnection | None = None) -> tuple[int, Loaded | None]:
    """The channel and the number at which it was read. `conn` is a transaction that holds the clock."""
    if conn is not None:
        return await _load(conn, tenant_id, uri)
    async with connection_of(tenant_id) as own, own.transaction():
        # One snapshot for checkpoint, segments and actions: a commit in between would count twice or not at all.
        await own.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        return await _load(own, tenant_id, uri)


async def _load(conn: TenantConnection, tenant_id: int, uri: str) -> tuple[int, Loaded | None]:
    row = await (await conn.execute(sql.LOAD_CHANNEL, (uri, tenant_id))).fetchone()
    if row is None:
        raise LookupError(f"tenant {tenant_id} has no clock")
    kind, parent, readers, opened_by, opened_ms, born, text, state_seq, seq = row
    if kind is None:
        return seq, None
    state: State = _decode(text)
    if kind in SEGMENTED:
        segments = await (await conn.execute(sql.LOAD_SEGMENTS, (tenant_id, uri))).fetchall()
        state = {**state, SEGMENTED[kind]: [_decode(body) for (body,) in segments]}
    actions = await (await conn.execute(sql.LOAD_ACTIONS, (tenant_id, uri, state_seq))).fetchall()
    for body, now_ms in actions:
        state = reduce(kind, state, _decode(body), now_ms)
    view = ChannelView(kind, parent, readers, state, opened_by, opened_ms, born)
    return seq, Loaded(view, len(actions), sum(len(body) for body, _ in actions), len(text))


async def commit(
    conn: TenantConnection,
    tenant_id: int,
    expected: int,
    events: Sequence[Event],
    statements: Sequence[Statement],
    now_ms: int,
) -> None:
    """Number and insert the events behind `expected` and run the statements, all or nothing, in one round trip.

    Raises `Behind` or `AlreadyDispatched`. Inside a transaction of the caller it takes effect with that.
    """
    try:
        if not statements:
            async with conn.showing(tenant_id):
                await _append(conn, tenant_id, expected, events, now_ms)
            return
        async with conn.showing(tenant_id), conn.pipeline(), conn.transaction():
            await _append(conn, tenant_id, expected, events, now_ms)
            for statement, params in statements:
                await conn.execute(statement.encode(), params)
    except errors.DivisionByZero:
        raise Behind from None
    except errors.UniqueViolation as error:
        if error.diag.constraint_name == ONCE_PER_CLIENT_SEQ:
            raise AlreadyDispatched from None
        raise


async def _append(conn: TenantConnection, tenant_id: int, expected: int, events: Sequence[Event], now_ms: int) -> None:
    params = {
        "tenant": tenant_id,
        "expected": expected,
        "count": len(events),
        "now_ms": now_ms,
        "kinds": [e.kind for e in events],
        "channels": [e.channel for e in events],
        "bodies": [e.body for e in events],
        "client_ids": _column([e.origin and e.origin.client_id for e in events]),
        "client_lives": _column([e.origin and e.origin.life for e in events]),
        "client_seqs": _column([e.origin and e.origin.client_seq for e in events]),
        "user_ids": _column([e.user_id for e in events]),
        "readers": _column([None if e.readers is None else f"{{{','.join(map(str, e.readers))}}}" for e in events]),
    }
    await conn.execute(sql.APPEND, params, prepare=True)


def _column(values: list[Any]) -> list[Any]:
    """The values; none at all where all are null: `unnest` fills up shorter arrays, and binding nothing costs nothing."""
    return values if any(value is not None for value in values) else []


async def dispatched(tenant_id: int, origins: Sequence[Origin]) -> set[Origin]:
    """Which of these origins are in the log already."""
    columns = [o.client_id for o in origins], [o.life for o in origins], [o.client_seq for o in origins]
    return {Origin(*row) for row in await fetch(sql.DISPATCHED, (tenant_id, *columns), tenant=tenant_id)}


def checkpoint_text(kind: str, state: State) -> str:
    """The state as its checkpoint keeps it: without the list that has rows of its own."""
    left_out = SEGMENTED.get(kind)
    return jsonrpc.encode({k: v for k, v in state.items() if k != left_out})


def segment_statements(tenant_id: int, uri: str, before: Sequence[object], now: Sequence[object]) -> list[Statement]:
    """The statements that turn the stored list `before` into `now`; items kept are the same objects."""
    same = 0
    for old, new in zip(before, now, strict=False):
        if old is not new:
            break
        same += 1
    statements: list[Statement] = []
    if len(before) > same:
        statements.append((sql.DROP_SEGMENTS, (tenant_id, uri, same)))
    if len(now) > same:
        bodies = [jsonrpc.encode(item) for item in now[same:]]
        statements.append((sql.ADD_SEGMENTS, (tenant_id, uri, same, bodies)))
    return statements
