"""How many actions a second does the log take in from 64 writers of one tenant, each durable before its writer goes on?"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg
import uvloop

from ahp_platform.background import collect_less
from ahp_platform.db import connection_params
from ahp_platform.eventlog import sql
from ahp_platform.eventlog.entry import Entry
from ahp_platform.eventlog.log import TenantLog
from ahp_platform.eventlog.logs import logs
from ahp_platform.eventlog.view import View
from ahp_platform.protocol import jsonrpc
from ahp_platform.protocol.envelope import action_frame, envelope_text
from sessions_app.consequences import derive
from tests.benchmarks import messages, seed
from tests.benchmarks.benchmark import OURS, Benchmark, Figures, Measure, Settings, Target

WRITERS = 64
SECONDS = 4.0

Columns = dict[str, Any]


class Appending:
    """Both sides. The raw loop inserts the very rows, in the very batches, that ours committed in the same run."""

    def __init__(self) -> None:
        self._batches: list[Sequence[Entry]] = []

    @contextmanager
    def ours(self, settings: Settings) -> Iterator[Measure]:
        """64 tasks, each appending a delta to a chat of its own and waiting for its commit, in a process set up as ours are."""
        collect_less()
        tenant = seed.tenant()
        chats = [f"ahp-chat:/append-{number}" for number in range(WRITERS)]
        seed.open_chats(tenant, *chats)
        yield lambda: uvloop.run(self._write(tenant, chats, settings.seconds_or(SECONDS)))

    @contextmanager
    def raw(self, settings: Settings) -> Iterator[Measure]:
        """One psycopg connection, one statement per batch, nothing else."""
        tenant = seed.tenant()
        with psycopg.connect(**connection_params(), autocommit=True) as conn:
            conn.execute("INSERT INTO eventlog_tenantclock (tenant_id, seq, floor) VALUES (%s, 0, 0)", (tenant.id,))
            yield lambda: self._insert(conn, tenant)

    async def _write(self, tenant: seed.Tenant, chats: Sequence[str], seconds: float) -> Figures:
        async with seed.open_log(tenant) as log:
            for chat in chats:
                # Each run begins with empty texts, or the later ones would have longer texts to append to.
                await log.emit(chat, {"type": "chat/truncated"}, *seed.start_of_turn("turn"), user_id=tenant.user_id)
            self._batches = []
            logs.configure(derive, self._committed)
            began = time.perf_counter()
            await asyncio.gather(*(_writer(log, chat, began + seconds) for chat in chats))
            elapsed = time.perf_counter() - began
        count = sum(map(len, self._batches))
        return {"per_s": count / elapsed, "per_batch": count / len(self._batches)}

    def _committed(self, log: TenantLog, entries: Sequence[Entry]) -> None:
        self._batches.append(entries)

    def _insert(self, conn: psycopg.Connection[Any], tenant: seed.Tenant) -> Figures:
        row = conn.execute(sql.CLOCK, (tenant.id,)).fetchone()
        assert row is not None
        batches, count = [], int(row[0])
        for entries in self._batches:
            batches.append(_columns(tenant, count, entries))
            count += len(entries)
        began = time.perf_counter()
        for columns in batches:
            conn.execute(sql.APPEND, columns, prepare=True)
        return {"per_s": (count - int(row[0])) / (time.perf_counter() - began)}


async def _writer(log: TenantLog, chat: str, until: float) -> None:
    shell = action_frame(envelope_text(chat, jsonrpc.encode(seed.delta("turn", 0)), messages.TYPICAL_SEQ))
    action = seed.delta("turn", messages.room(shell))

    def plan(view: View) -> None:
        view.act(chat, action)

    while time.perf_counter() < until:
        await log.append(plan)


def _columns(tenant: seed.Tenant, expected: int, entries: Sequence[Entry]) -> Columns:
    nothing = [None] * len(entries)
    return {
        "tenant": tenant.id,
        "expected": expected,
        "count": len(entries),
        "now_ms": entries[0].now_ms,
        "kinds": [entry.kind for entry in entries],
        "channels": [entry.channel for entry in entries],
        "bodies": [entry.body for entry in entries],
        "user_ids": [entry.user_id for entry in entries],
        **dict.fromkeys(("client_ids", "client_lives", "client_seqs", "readers"), nothing),
    }


def _ratio(ours: Figures, theirs: Figures) -> float:
    return ours["per_s"] / theirs["per_s"]


_appending = Appending()

BENCHMARK = Benchmark(
    name="append",
    title="append: durable actions, one tenant, 64 writers",
    sides={OURS: _appending.ours, "raw": _appending.raw},
    targets=[Target("raw", "a raw psycopg loop with the same rows and batch sizes", _ratio, at_least=0.4)],
    shows="per_s",
    includes="Actions per second. Ours: plan, reduce, encode, group commit, publish to Redis and delivery in the process; "
    "64 tasks append deltas to 64 chats, each waiting for its commit.",
)
