"""How many envelopes does one publisher bring to 100 sockets on one chat?"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tests.benchmarks import messages, seed
from tests.benchmarks.benchmark import OURS, Benchmark, Figures, Measure, Settings, Spoiled, Target
from tests.benchmarks.load import Endpoint, Load
from tests.benchmarks.servers import bare_uvicorn, node_ws, our_web

SOCKETS = 100
# As many messages on their way as an agent's stream and a few people typing have at once.
WINDOW = 64
SECONDS = 5.0
CHAT = "ahp-chat:/fanout"


def delivered(load: Load, settings: Settings, to: Endpoint, message: str) -> Figures:
    """Publish, and make sure that every socket got every message in order."""
    seconds = settings.seconds_or(SECONDS)
    figures = load.publish(to, message, sockets=SOCKETS, window=WINDOW, seconds=seconds)
    if figures["gaps"]:
        raise Spoiled(f"{figures['gaps']:.0f} envelopes were lost or out of order")
    return figures


@contextmanager
def _ours(settings: Settings) -> Iterator[Measure]:
    load, tenant = Load(settings), seed.tenant()
    seed.open_chats(tenant, CHAT)
    with our_web() as web:
        to = messages.ours(tenant, [web.port], [CHAT])
        yield lambda: delivered(load, settings, to, messages.draft(CHAT))


@contextmanager
def _bare(settings: Settings) -> Iterator[Measure]:
    load = Load(settings)
    with bare_uvicorn() as server:
        yield lambda: delivered(load, settings, messages.bare(server.port), messages.plain())


@contextmanager
def _node(settings: Settings) -> Iterator[Measure]:
    load = Load(settings)
    with node_ws(settings) as server:
        yield lambda: delivered(load, settings, messages.bare(server.port), messages.plain())


def _ratio(ours: Figures, theirs: Figures) -> float:
    return ours["per_s"] / theirs["per_s"]


BENCHMARK = Benchmark(
    name="fanout",
    title="fan-out: 1 → 100 sockets on one chat",
    sides={OURS: _ours, "bare": _bare, "node": _node},
    targets=[
        Target("bare", "bare uvicorn sending the same bytes", _ratio, at_least=0.7),
        Target("node", "node `ws` sending the same bytes", _ratio, at_least=0.7),
    ],
    shows="per_s",
    includes="Envelopes of 250 bytes received per second. Ours: one client dispatches actions; each is checked, reduced, "
    "committed durably to PostgreSQL, published to Redis and delivered to 100 sockets, its sender among them.",
)
