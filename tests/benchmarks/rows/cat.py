"""How fast does a large output reach one reader?"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.benchmarks import seed, terminals
from tests.benchmarks.benchmark import OURS, Benchmark, Figures, Measure, Settings, Spoiled, Target
from tests.benchmarks.plain_socket import PlainSocket
from tests.benchmarks.servers import Server, bare_pty_pump, our_web

MIB = 2**20
SIZE = 50 * MIB
LINE = "%07d All work and no play makes a dull agent, who writes what a build may write.\n"


def _written(folder: Path) -> tuple[Path, int]:
    """The file, and how many lines it has."""
    lines = SIZE // len(LINE % 0)
    path = folder / "large.txt"
    path.write_text("".join(LINE % number for number in range(lines)))
    return path, lines


def _figures(began: float, ends_seen: int, ends: int) -> Figures:
    if ends_seen < ends:
        raise Spoiled(f"{ends - ends_seen} of {ends} lines have not arrived")
    return {"mib_per_s": SIZE / MIB / (time.perf_counter() - began)}


@contextmanager
def _ours(settings: Settings) -> Iterator[Measure]:
    tenant = seed.tenant()
    path, lines = _written(terminals.workspace(tenant))
    with our_web() as web:

        def measure() -> Figures:
            with terminals.opened(tenant, web.port) as terminal:
                terminal.type("echo re''ady\r")
                terminal.await_output(b"ready")
                began, seen = time.perf_counter(), 0
                terminal.type(f"cat {path}; exit\r")
                for frame in terminal.frames():
                    if terminals.EXITED in frame:
                        break
                    # A line end may be cut in two by a frame: its last character is not.
                    seen += frame.count(b"\\n")
                return _figures(began, seen, lines)

        yield measure


@contextmanager
def _bare(settings: Settings) -> Iterator[Measure]:
    path, lines = _written(settings.folder)

    def measure(server: Server) -> Figures:
        with PlainSocket(server.port) as socket:
            began, seen = time.perf_counter(), 0
            socket.send(json.dumps(["cat", str(path)]))
            while (frame := socket.read()) is not None:
                seen += frame.count(b"\n")
            return _figures(began, seen, lines)

    with bare_pty_pump() as server:
        yield lambda: measure(server)


BENCHMARK = Benchmark(
    name="cat",
    title="cat of a file of 50 MiB to one reader",
    sides={OURS: _ours, "pump": _bare},
    targets=[Target("pump", "a bare pty behind a socket", lambda o, t: o["mib_per_s"] / t["mib_per_s"], at_least=0.3)],
    shows="mib_per_s",
    includes="MiB/s until the last line is at the client. Ours: marks parsed, every piece durable in PostgreSQL before it is sent. "
    "Theirs: uvicorn that sends what it reads from a pty.",
)
