"""What do readers that never read cost the others, and the process?"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from tests.benchmarks import messages, seed
from tests.benchmarks.benchmark import OURS, Benchmark, Figures, Measure, Settings, Target
from tests.benchmarks.load import Load, finished
from tests.benchmarks.rows.fanout import SOCKETS, WINDOW
from tests.benchmarks.servers import our_web

SECONDS = 60.0
FROZEN = 10
CHAT = "ahp-chat:/frozen"


@contextmanager
def _flooded(settings: Settings, frozen: int) -> Iterator[Measure]:
    load, tenant = Load(settings), seed.tenant()
    seed.open_chats(tenant, CHAT)
    seconds = settings.seconds_or(SECONDS)

    def measure() -> Figures:
        with our_web() as web:
            to = messages.ours(tenant, [web.port], [CHAT])
            options = {"sockets": SOCKETS + frozen, "frozen": frozen, "window": WINDOW, "seconds": seconds}
            with load.publishing(to, messages.draft(CHAT), **options) as running:
                time.sleep(seconds * 0.5)
                halfway = web.memory() / 2**20
                time.sleep(seconds * 0.4)
                near_end = web.memory() / 2**20
                return {**finished(running), "halfway_mib": halfway, "near_end_mib": near_end}

    yield measure


BENCHMARK = Benchmark(
    name="frozen-reader",
    title="10 frozen readers beside 100 others, in a flood",
    sides={OURS: lambda settings: _flooded(settings, FROZEN), "none": lambda settings: _flooded(settings, 0)},
    targets=[
        Target("none", "no frozen reader: the others' p99", lambda o, t: o["p99_us"] / t["p99_us"], at_most=1.5),
        Target(OURS, "memory near the end to halfway", lambda o, _: o["near_end_mib"] / o["halfway_mib"], at_most=1.1),
    ],
    shows="p99_us",
    includes="Microseconds from dispatch to arrival at the other 100 sockets, as in the fan-out, for 60 s.",
)
