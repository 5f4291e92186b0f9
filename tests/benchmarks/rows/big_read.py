"""What does the reading of a large file cost the process in memory?"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from ahp_platform.workspaces import paths
from tests.benchmarks import messages, seed, terminals
from tests.benchmarks.benchmark import OURS, Benchmark, Figures, Measure, Settings, Spoiled, Target
from tests.benchmarks.plain_socket import PlainSocket
from tests.benchmarks.servers import Server, our_web

MIB = 2**20
SIZE = 16 * MIB
LOOK_EVERY_S = 0.002


class _Peak:
    """The most memory that a process had while the block ran."""

    def __init__(self, server: Server) -> None:
        self._server, self._over = server, threading.Event()
        self.value = server.memory()
        self._looking = threading.Thread(target=self._look)

    def __enter__(self) -> _Peak:
        self._looking.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._looking.join()

    def _look(self) -> None:
        while not self._over.wait(LOOK_EVERY_S):
            self.value = max(self.value, self._server.memory())


@contextmanager
def _ours(settings: Settings) -> Iterator[Measure]:
    tenant = seed.tenant()
    path = terminals.workspace(tenant) / "large.bin"
    path.write_bytes(bytes(range(256)) * (SIZE // 256))
    uri = paths.uri_of(terminals.workspace(tenant), [path.name])

    def measure() -> Figures:
        with our_web() as web, PlainSocket(web.port, f"/ahp/{tenant.slug}", messages.bearer(tenant)) as socket:
            terminals.ask(socket, "initialize", {"protocolVersions": ["0.7.0"], "clientId": "bench-read"})
            before, began = web.memory(), time.perf_counter()
            with _Peak(web) as peak:
                reply = terminals.ask(socket, "resourceRead", {"uri": uri})
            if len(reply) < SIZE * 4 / 3:
                raise Spoiled(f"only {len(reply)} bytes came")
            return {"peak_mib": (peak.value - before) / MIB, "seconds": time.perf_counter() - began}

    yield measure


BENCHMARK = Benchmark(
    name="big-read",
    title="resourceRead of a file of 16 MiB",
    sides={OURS: _ours},
    targets=[Target(OURS, "the size of the file", lambda o, _: o["peak_mib"] * MIB / SIZE, at_most=3)],
    shows="peak_mib",
    includes="MiB that the process's own memory (USS) rises by while it answers, at most; the reply is base64 of all bytes. A new "
    "process for every run.",
)
