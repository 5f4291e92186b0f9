"""How long until 500 clients are back, each with what it missed on four channels?"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import uvloop

from ahp_platform.protocol import jsonrpc
from ahp_platform.protocol.envelope import envelope_text
from tests.benchmarks import messages, seed
from tests.benchmarks.benchmark import OURS, Benchmark, Figures, Measure, Settings, Spoiled, Target
from tests.benchmarks.load import Endpoint, Load
from tests.benchmarks.servers import bare_uvicorn, our_web

CLIENTS = 500
CHATS = [f"ahp-chat:/storm-{number}" for number in range(4)]
MISSED = 100
MISSED_BYTES = len(CHATS) * MISSED * messages.FRAME_BYTES


class Storm:
    """All sides. The bare server sends as many bytes to each client as ours did."""

    def __init__(self) -> None:
        self._reply_bytes = MISSED_BYTES

    @contextmanager
    def ours(self, settings: Settings) -> Iterator[Measure]:
        """The network was away: the process runs on and saw the actions happen."""
        load, tenant = Load(settings), seed.tenant()
        seed.open_chats(tenant, *CHATS)
        with our_web() as web, load.holding(messages.ours(tenant, [web.port], CHATS), 1):
            _introduce(load, tenant, web.port)
            to, message = self._reconnect(tenant, web.port, uvloop.run(_miss(tenant)))
            yield lambda: self._measure(load, to, message)

    @contextmanager
    def restarted(self, settings: Settings) -> Iterator[Measure]:
        """The process was restarted: it knows nothing yet, and its clients all come at once."""
        load, tenant = Load(settings), seed.tenant()
        seed.open_chats(tenant, *CHATS)
        with our_web() as web:
            _introduce(load, tenant, web.port)
        seen = uvloop.run(_miss(tenant))

        def measure() -> Figures:
            with our_web() as web:
                return self._measure(load, *self._reconnect(tenant, web.port, seen))

        yield measure

    @contextmanager
    def bare(self, settings: Settings) -> Iterator[Measure]:
        """A reply of the same size, made once."""
        load = Load(settings)
        with bare_uvicorn() as server:
            to = Endpoint([server.port])
            yield lambda: load.ask(to, f'{{"id":1,"bytes":{self._reply_bytes}}}', sockets=CLIENTS)

    def _reconnect(self, tenant: seed.Tenant, port: int, seen: int) -> tuple[Endpoint, str]:
        params = {"clientId": messages.CLIENT, "lastSeenServerSeq": seen, "subscriptions": CHATS}
        endpoint = Endpoint([port], f"/ahp/{tenant.slug}", messages.bearer(tenant))
        return endpoint, messages.request(1, "reconnect", params)

    def _measure(self, load: Load, to: Endpoint, message: str) -> Figures:
        figures = load.ask(to, message, sockets=CLIENTS)
        self._reply_bytes = round(figures["reply_bytes"])
        if self._reply_bytes < MISSED_BYTES * 0.9:
            raise Spoiled("the clients did not get what they missed")
        return figures


def _introduce(load: Load, tenant: seed.Tenant, port: int) -> None:
    """Only a client that was here before gets what it missed."""
    to = messages.ours(tenant, [port], CHATS)
    assert to.hello is not None
    load.ask(replace(to, hello=None), to.hello, sockets=CLIENTS)


async def _miss(tenant: seed.Tenant) -> int:
    """Write what the clients miss; returns the number that they have seen."""
    shell = envelope_text(CHATS[0], jsonrpc.encode(messages.draft_action("")), messages.TYPICAL_SEQ)
    async with seed.open_log(tenant) as log:
        seen = log.seq
        for number in range(MISSED):
            for chat in CHATS:
                await log.emit(chat, messages.draft_action(f"{number:0{messages.room(shell)}}"))
    return seen


def _ratio(ours: Figures, theirs: Figures) -> float:
    return ours["total_s"] / theirs["total_s"]


_storm = Storm()

BENCHMARK = Benchmark(
    name="reconnect-storm",
    title="reconnect storm: 500 clients × 4 channels × 100 missed actions",
    sides={OURS: _storm.ours, "bare": _storm.bare},
    targets=[Target("bare", "bare uvicorn sending the same bytes", _ratio, at_most=3)],
    shows="total_s",
    includes="Seconds from the first TCP connection to the last byte of the last reply: handshake, token check, client "
    "binding, and 400 envelopes of 250 bytes in each reply. The process was up while they were missed.",
)

RESTARTED = Benchmark(
    name="restart-storm",
    title="the same, the web process newly started",
    sides={OURS: _storm.restarted, "bare": _storm.bare},
    targets=[Target("bare", "bare uvicorn sending the same bytes", _ratio, at_most=3)],
    shows="total_s",
    includes="As above, but everything that was missed has to come from the database.",
)
