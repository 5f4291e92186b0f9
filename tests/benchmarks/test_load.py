"""Can the load generator be believed? It is compiled and run against the bare server."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.benchmarks import messages
from tests.benchmarks.benchmark import Settings
from tests.benchmarks.load import Load
from tests.benchmarks.servers import Server, bare_uvicorn

pytestmark = pytest.mark.skipif(not shutil.which("cc"), reason="the load generator needs a C compiler")


@pytest.fixture(scope="module")
def load(tmp_path_factory: pytest.TempPathFactory) -> Load:
    return Load(Settings(tmp_path_factory.mktemp("bench")))


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with bare_uvicorn() as running:
        yield running


def test_every_socket_gets_every_message_in_order_and_in_its_size(load: Load, server: Server) -> None:
    figures = load.publish(messages.bare(server.port), messages.plain(), sockets=5, window=8, seconds=0.3, warmup=0.1)
    assert figures["per_s"] > 0
    assert figures["gaps"] == 0
    assert figures["frame_bytes"] == messages.FRAME_BYTES
    assert 0 < figures["p50_us"] <= figures["p99_us"] <= figures["max_us"] * 1.02


def test_frozen_sockets_do_not_hold_up_the_publisher(load: Load, server: Server) -> None:
    options = {"sockets": 5, "frozen": 2, "window": 8, "seconds": 0.3, "warmup": 0.1}
    assert load.publish(messages.bare(server.port), messages.plain(), **options)["published_per_s"] > 0


def test_replies_of_several_megabytes_are_read_whole(load: Load, server: Server) -> None:
    asked = '{"id":1,"bytes":3000000}'
    figures = load.ask(messages.bare(server.port), asked, sockets=3, repeat=2)
    assert figures["reply_bytes"] == 3_000_000


def test_idle_sockets_stay_open_while_they_are_held(load: Load, server: Server) -> None:
    def connections() -> int:
        return sum(one.status == "ESTABLISHED" for one in server.process.net_connections("tcp"))

    before = connections()
    with load.holding(messages.bare(server.port), 7):
        assert connections() == before + 7


def test_our_drafts_come_back_in_the_size_that_we_compare_with() -> None:
    template = messages.draft("ahp-chat:/x")
    text = template.split('"text":"')[1].split('"')[0].replace("%t", messages.STAMP)
    assert len(messages.echo("ahp-chat:/x", text)) == messages.FRAME_BYTES


def test_the_sources_stay_readable() -> None:
    for path in Path(__file__).with_name("load").glob("*.[ch]"):
        lines = path.read_text(encoding="utf-8").splitlines()
        assert len(lines) < 300, path
        assert max(map(len, lines)) <= 130, path
