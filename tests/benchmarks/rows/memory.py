"""What does an idle connection with four channels cost in memory?"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from tests.benchmarks import messages, seed
from tests.benchmarks.benchmark import OURS, Benchmark, Figures, Measure, Settings, Target
from tests.benchmarks.load import Endpoint, Load
from tests.benchmarks.servers import Server, bare_uvicorn, our_web

WARM_UP = 100
SOCKETS = 1_000
SETTLE_S = 1.5
CHATS = [f"ahp-chat:/idle-{number}" for number in range(4)]


def _per_socket(load: Load, server: Server, to: Endpoint) -> Figures:
    """What 1,000 sockets add to a process that serves 100 already."""
    with load.holding(to, WARM_UP):
        time.sleep(SETTLE_S)
        before = server.memory()
        with load.holding(to, SOCKETS):
            time.sleep(SETTLE_S)
            return {"kib": (server.memory() - before) / SOCKETS / 1024}


@contextmanager
def _ours(settings: Settings) -> Iterator[Measure]:
    load, tenant = Load(settings), seed.tenant()
    seed.open_chats(tenant, *CHATS)

    def measure() -> Figures:
        with our_web() as web:
            return _per_socket(load, web, messages.ours(tenant, [web.port], CHATS))

    yield measure


@contextmanager
def _bare(settings: Settings) -> Iterator[Measure]:
    load = Load(settings)

    def measure() -> Figures:
        with bare_uvicorn() as server:
            return _per_socket(load, server, messages.bare(server.port))

    yield measure


BENCHMARK = Benchmark(
    name="memory",
    title="memory per idle connection with 4 channels",
    sides={OURS: _ours, "bare": _bare},
    targets=[
        Target("bare", "bare uvicorn's", lambda o, t: o["kib"] - t["kib"], at_most=30, unit="KiB more"),
    ],
    shows="kib",
    includes="KiB of the process's own memory (USS) that 1,000 connections add, each; a new process for every run.",
)
