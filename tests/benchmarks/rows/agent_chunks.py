"""How long does the host hold a chunk of an agent back, alone and with fifty agents at once?"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager

from tests.benchmarks import seed, streams
from tests.benchmarks.benchmark import OURS, Benchmark, Measure, Settings, Side, Target
from tests.benchmarks.servers import our_web

SECONDS = 5.0
EVERY_MS, FIFTY_EVERY_MS = 20, 10


def _ours(agents: int, every_ms: int) -> Side:
    @contextmanager
    def side(settings: Settings) -> Iterator[Measure]:
        streams.offer()
        tenant = seed.tenant()
        count = int(settings.seconds_or(SECONDS) * 1000 / every_ms)
        with our_web() as web, closing(streams.Audience(tenant, web.port)) as audience:
            audience.open(agents)
            yield lambda: audience.watch(count, every_ms)

    return side


@contextmanager
def _pipe(settings: Settings) -> Iterator[Measure]:
    yield lambda: streams.piped(int(settings.seconds_or(SECONDS) * 1000 / EVERY_MS), EVERY_MS)


ONE = Benchmark(
    name="agent-chunk",
    title="agent's chunk → client's frame, idle",
    sides={OURS: _ours(1, EVERY_MS), "pipe": _pipe},
    targets=[
        Target("pipe", "what the host adds: p50", lambda o, t: o["p50_ms"] - t["p50_ms"], at_most=5, unit=" ms"),
    ],
    shows="p50_ms",
    includes="Milliseconds from the agent's write to the client's read, 50 chunks a second. Ours: the sandbox's pipe, the Agent Client "
    "Protocol, the log's commit, the frame at a client in Python. Theirs: the same agent behind a pipe, read by Python.",
)

FIFTY = Benchmark(
    name="fifty-agents",
    title="50 agents × 100 chunks/s",
    sides={OURS: _ours(50, FIFTY_EVERY_MS), "pipe": _pipe},
    targets=[
        Target("pipe", "order kept, p99", lambda o, t: o["p99_ms"], at_most=250, unit=" ms"),
    ],
    shows="p99_ms",
    includes="Milliseconds as above, fifty sandboxed processes at once, one client that follows all fifty chats. A run in which the "
    "order of a chat's chunks is not kept does not count. Agents, client, database and host share the machine's cores.",
)
