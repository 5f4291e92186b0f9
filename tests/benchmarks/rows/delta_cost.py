"""Does a piece of streamed text cost more in a chat that is long already?"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvloop

from tests.benchmarks import seed
from tests.benchmarks.benchmark import OURS, Benchmark, Figures, Measure, Settings, Side, Target

TURNS = 5
APPENDS_PER_TURN = 100
PER_APPEND = 20
DELTA_BYTES = 40
CHAT = "ahp-chat:/long"


def _side(chat_bytes: int) -> Side:
    @contextmanager
    def side(settings: Settings) -> Iterator[Measure]:
        tenant = seed.tenant()
        seed.open_chats(tenant, CHAT, turns=seed.completed_turns(chat_bytes))
        yield lambda: uvloop.run(_stream(tenant))

    return side


async def _stream(tenant: seed.Tenant) -> Figures:
    """Turns that are streamed in pieces, as an agent's sink appends them; their start and end are not counted."""
    elapsed = 0.0
    async with seed.open_log(tenant) as log:
        kept = (await log.state(CHAT))["turns"][-1]["id"]
        for _ in range(TURNS):
            await log.emit(CHAT, *seed.start_of_turn("live"), user_id=tenant.user_id)
            began = time.perf_counter()
            for _ in range(APPENDS_PER_TURN):
                await log.emit(CHAT, *[seed.delta("live", DELTA_BYTES)] * PER_APPEND)
            elapsed += time.perf_counter() - began
            await log.emit(CHAT, {"type": "chat/truncated", "turnId": kept})
    return {"us_per_delta": elapsed / (TURNS * APPENDS_PER_TURN * PER_APPEND) * 1e6}


BENCHMARK = Benchmark(
    name="delta-cost",
    title="a delta in a chat of 10 MB",
    sides={OURS: _side(10_000_000), "small": _side(10_000)},
    targets=[Target("small", "a chat of 10 KB", lambda o, t: o["us_per_delta"] / t["us_per_delta"], at_most=1.2)],
    shows="us_per_delta",
    includes="Microseconds per delta, 20 in each append: plan, reduce, encode, durable commit, checkpoints, publish. The "
    "chat's size lies in its completed turns; the turn that is streamed begins empty.",
)
