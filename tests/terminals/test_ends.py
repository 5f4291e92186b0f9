"""Is everything gone when a terminal ends, whatever ran in it?"""

from __future__ import annotations

import psutil

from tests.conftest import Connect
from tests.service import RunningService
from tests.terminals.conftest import Gone
from tests.terminals.shell import Shell, running

STUBBORN = (
    "(trap '' HUP TERM INT; sleep {0}) & setsid sleep {0} & nohup sleep {0} >/dev/null 2>&1 &"
    " (setsid sh -c 'sleep {0} &'); sleep {0} & echo st''arted"
)
PAIRS = 100


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


async def test_many_terminals_leave_neither_processes_nor_descriptors(
    connect: Connect, service: RunningService, gone: Gone
) -> None:
    client = await connect()
    host = psutil.Process(service.pid("web-1"))
    of_other_tests = set(host.children(recursive=True))
    first = await Shell.opened(client)
    await first.type("echo re''ady")
    await first.shows("ready")
    await first.dispose()
    before = host.num_fds()
    for _ in range(PAIRS):
        await (await Shell.opened(client)).dispose()
    last = await Shell.opened(client)
    await last.type("exec sleep 70126.5")
    await last.shows("exec sleep")
    await last.dispose()
    await gone("70126.5")
    _, left = psutil.wait_procs(set(host.children(recursive=True)) - of_other_tests, timeout=10)
    assert left == []
    assert host.num_fds() <= before + 5
