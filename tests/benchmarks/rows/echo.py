"""How long after its dispatch does a client see its action again, when nothing else goes on?"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import quantiles
from typing import Any

import psycopg

from ahp_platform.db import connection_params
from tests.benchmarks import messages, seed
from tests.benchmarks.benchmark import OURS, Benchmark, Figures, Measure, Settings, Target
from tests.benchmarks.load import Load
from tests.benchmarks.servers import our_web

SECONDS = 3.0
CHAT = "ahp-chat:/echo"

_TABLE = "CREATE TABLE IF NOT EXISTS bench_commit (id bigserial PRIMARY KEY, body text)"
_COMMIT = "INSERT INTO bench_commit (body) VALUES (%s)"


@contextmanager
def _ours(settings: Settings) -> Iterator[Measure]:
    load, tenant = Load(settings), seed.tenant()
    seed.open_chats(tenant, CHAT)
    with our_web() as web:
        to, message = messages.ours(tenant, [web.port], [CHAT]), messages.draft(CHAT)
        yield lambda: load.publish(to, message, sockets=1, window=1, seconds=settings.seconds_or(SECONDS))


@contextmanager
def commit(settings: Settings) -> Iterator[Measure]:
    """One durable PostgreSQL commit after another."""
    with psycopg.connect(**connection_params(), autocommit=True) as conn:
        conn.execute(_TABLE)
        yield lambda: _commits(conn, settings.seconds_or(SECONDS))


def _commits(conn: psycopg.Connection[Any], seconds: float) -> Figures:
    body, took = "x" * messages.FRAME_BYTES, []
    end = time.perf_counter() + seconds
    while (began := time.perf_counter()) < end:
        conn.execute(_COMMIT, (body,), prepare=True)
        took.append((time.perf_counter() - began) * 1e6)
    cuts = quantiles(took, n=100)
    return {"p50_us": cuts[49], "p99_us": cuts[98]}


BENCHMARK = Benchmark(
    name="echo",
    title="dispatch → echo, idle",
    sides={OURS: _ours, "commit": commit},
    targets=[
        Target("commit", "one durable PostgreSQL commit: p50", lambda o, t: o["p50_us"] / t["p50_us"], at_most=3),
        Target("commit", "the same: our p99 to its p50", lambda o, t: o["p99_us"] / t["p50_us"], at_most=10),
    ],
    shows="p50_us",
    includes="Microseconds. Ours: a client's frame, check, reduce, durable commit, delivery, frame back at the client; one "
    "after another. Theirs: one INSERT of the same size, committed, on a connection that is open.",
)
