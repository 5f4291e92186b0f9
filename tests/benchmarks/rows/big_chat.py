"""How long does it take to subscribe to a chat of 10 MB?"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ahp_platform.protocol import jsonrpc
from tests.benchmarks import messages, seed
from tests.benchmarks.benchmark import OURS, Benchmark, Measure, Settings, Target
from tests.benchmarks.load import Load
from tests.benchmarks.servers import bare_uvicorn, our_web

CHAT_BYTES = 10_000_000
TIMES = 15
CHAT = "ahp-chat:/big"


@contextmanager
def _ours(settings: Settings) -> Iterator[Measure]:
    load, tenant = Load(settings), seed.tenant()
    seed.open_chats(tenant, CHAT, turns=seed.completed_turns(CHAT_BYTES))
    # The action in front makes every snapshot a new one: none may come out of a cache.
    message = f"{messages.draft(CHAT)}\n{messages.request('%n', 'subscribe', {'channel': CHAT})}"
    with our_web() as web:
        to = messages.ours(tenant, [web.port])
        load.ask(to, message, repeat=2)
        yield lambda: load.ask(to, message, repeat=TIMES)


@contextmanager
def _bare(settings: Settings) -> Iterator[Measure]:
    load, path = Load(settings), settings.folder / "big-chat.json"
    state = {"resource": CHAT, "turns": seed.completed_turns(CHAT_BYTES)}
    path.write_text(jsonrpc.encode(state), encoding="utf-8")
    message = f'{{"id":1,"state":"{path}"}}'
    with bare_uvicorn() as server:
        load.ask(messages.bare(server.port), message, repeat=2)
        yield lambda: load.ask(messages.bare(server.port), message, repeat=TIMES)


BENCHMARK = Benchmark(
    name="big-chat",
    title="subscribe to a chat of 10 MB",
    sides={OURS: _ours, "bare": _bare},
    targets=[Target("bare", "encode and send those bytes", lambda o, t: o["p50_us"] / t["p50_us"], at_most=2)],
    shows="p50_us",
    includes="Microseconds until the whole reply is there. Ours: one action is committed first, so that the snapshot is "
    "encoded anew each time. Theirs: bare uvicorn, the same state in memory, msgspec.",
)
