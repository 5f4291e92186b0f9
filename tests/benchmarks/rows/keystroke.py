"""How long after a key is hit does its letter stand in the terminal, when nothing else goes on?"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import quantiles

from tests.benchmarks import seed, terminals
from tests.benchmarks.benchmark import OURS, Benchmark, Figures, Measure, Settings, Target
from tests.benchmarks.plain_socket import PlainSocket
from tests.benchmarks.rows.echo import commit
from tests.benchmarks.servers import bare_pty_pump, our_web

SECONDS = 3.0
LETTERS = "abcdefghijklmnopqrstuvwxyz"

# The kernel echoes each letter at once, and nobody else writes.
PROGRAM = "stty raw echo; echo re''ady; exec cat > /dev/null"


def _keystrokes(seconds: float, hit: Callable[[str], None], shown: Callable[[bytes], object]) -> Figures:
    took: list[float] = []
    end = time.perf_counter() + seconds
    while (began := time.perf_counter()) < end:
        letter = LETTERS[len(took) % len(LETTERS)]
        hit(letter)
        shown(letter.encode())
        took.append((time.perf_counter() - began) * 1e6)
    cuts = quantiles(took, n=100)
    return {"p50_us": cuts[49], "p99_us": cuts[98], "keystrokes": len(took)}


@contextmanager
def _ours(settings: Settings) -> Iterator[Measure]:
    tenant = seed.tenant()
    with our_web() as web, terminals.opened(tenant, web.port) as terminal:
        terminal.type(f'exec sh -c "{PROGRAM}"\r')
        terminal.await_output(b"ready")
        yield lambda: _keystrokes(
            settings.seconds_or(SECONDS), terminal.type, lambda letter: terminal.await_output(b'"data":"' + letter)
        )


@contextmanager
def _bare(settings: Settings) -> Iterator[Measure]:
    with bare_pty_pump() as server, PlainSocket(server.port) as socket:
        socket.send(json.dumps(["sh", "-c", PROGRAM]))
        while b"ready" not in (socket.read() or b""):
            pass
        yield lambda: _keystrokes(settings.seconds_or(SECONDS), socket.send, lambda _: socket.read())


BENCHMARK = Benchmark(
    name="keystroke",
    title="keystroke → echo, idle",
    sides={OURS: _ours, "pump": _bare, "commit": commit},
    targets=[
        Target("pump", "a bare pty behind a socket: p50", lambda o, t: o["p50_us"] / t["p50_us"], at_most=5),
        Target("commit", "one durable PostgreSQL commit: p50", lambda o, t: o["p50_us"] / t["p50_us"], at_most=6),
    ],
    shows="p50_us",
    includes="Microseconds. Ours: a client's frame, the input's commit, the pty in its sandbox, the output's commit, the frame at "
    "the client; one after another. What is typed and what comes of it are two actions, each durable before anybody sees it. Theirs: "
    "uvicorn that writes each message to a pty and sends what comes back.",
)
