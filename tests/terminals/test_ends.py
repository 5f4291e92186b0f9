"""Is everything gone when a terminal ends, whatever ran in it?"""

from __future__ import annotations

import asyncio

import psutil

from tests.client import Client
from tests.conftest import Connect
from tests.service import RunningService
from tests.terminals.conftest import Gone
from tests.terminals.shell import Shell, running

STUBBORN = (
    "(trap '' HUP TERM INT; sleep {0}) & setsid sleep {0} & nohup sleep {0} >/dev/null 2>&1 &"
    " (setsid sh -c 'sleep {0} &'); sleep {0} & echo st''arted"
)
PAIRS, AT_ONCE = 100, 10


async def test_disposing_ends_children_that_ignore_signals_and_leave_the_session(connect: Connect, gone: Gone) -> None:
    shell = await Shell.opened(await connect())
    await shell.type(STUBBORN.format("70123.5"))
    await shell.shows("started\r\n")
    assert running("70123.5")
    await shell.dispose()
    await gone("70123.5")


async def test_the_shells_exit_ends_what_it_left_behind(connect: Connect, gone: Gone) -> None:
    shell = await Shell.opened(await connect())
    await shell.type(STUBBORN.format("70125.5") + "; exit 7")
    assert (await shell.action("exited"))["exitCode"] == 7
    await gone("70125.5")


async def open_and_dispose(client: Client, word: str | None = None) -> None:
    """Several terminals at once; with a word, each shell has run before it goes."""
    shells = await asyncio.gather(*(Shell.opened(client) for _ in range(AT_ONCE)))
    if word is not None:
        await asyncio.gather(*(shell.type(f"echo {word}") for shell in shells))
        await asyncio.gather(*(shell.shows(word.replace("'", "")) for shell in shells))
    await asyncio.gather(*(shell.dispose() for shell in shells))


async def test_many_terminals_leave_neither_processes_nor_descriptors(
    connect: Connect, service: RunningService, gone: Gone
) -> None:
    client = await connect()
    host = psutil.Process(service.pid("web-1"))
    of_other_tests = set(host.children(recursive=True))
    # Everything that stays open has been opened then: connections to the database, for one.
    await open_and_dispose(client, "re''ady")
    before = host.num_fds()
    for _ in range(PAIRS // AT_ONCE - 1):
        await open_and_dispose(client)
    last = await Shell.opened(client)
    await last.type("exec sleep 70126.5")
    await last.shows("exec sleep")
    await last.dispose()
    await gone("70126.5")
    _, left = psutil.wait_procs(set(host.children(recursive=True)) - of_other_tests, timeout=10)
    assert left == []
    assert host.num_fds() <= before + 5
