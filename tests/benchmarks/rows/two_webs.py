"""Do two web processes deliver more than one?"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tests.benchmarks import messages, seed
from tests.benchmarks.benchmark import OURS, Benchmark, Measure, Settings, Target
from tests.benchmarks.load import Load
from tests.benchmarks.rows.fanout import delivered
from tests.benchmarks.servers import our_webs

CHAT = "ahp-chat:/spread"


@contextmanager
def _webs(settings: Settings, count: int) -> Iterator[Measure]:
    load, tenant = Load(settings), seed.tenant()
    seed.open_chats(tenant, CHAT)
    with our_webs(count) as webs:
        to = messages.ours(tenant, [web.port for web in webs], [CHAT])
        yield lambda: delivered(load, settings, to, messages.draft(CHAT))


BENCHMARK = Benchmark(
    name="two-webs",
    title="two web processes, sockets spread over them",
    sides={OURS: lambda settings: _webs(settings, 2), "one": lambda settings: _webs(settings, 1)},
    targets=[Target("one", "one web process", lambda o, t: o["per_s"] / t["per_s"], at_least=1.6)],
    shows="per_s",
    includes="Envelopes received per second, as in the fan-out; publisher in the first process, half of the sockets in "
    "each. Two processes, PostgreSQL, Redis and the load generator want a core each.",
    needs_cores=4,
)
