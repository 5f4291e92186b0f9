"""What becomes of a terminal whose host dies, and does any web process serve any terminal?"""

from __future__ import annotations

import os
import signal

from tests.conftest import Connect
from tests.service import RunningService
from tests.terminals.conftest import Gone
from tests.terminals.shell import Shell, running

# The lease, and what it takes to look.
LOST_WITHIN_S = 60.0


async def test_two_people_at_two_web_processes_share_one_terminal(
    cluster: RunningService, connect_cluster: Connect
) -> None:
    here, there = cluster.web_ports()
    mine = await Shell.opened(await connect_cluster(port=here))
    his = mine.seen_by(await connect_cluster("bob", port=there))
    await his.client.subscribe(mine.uri)
    await mine.type("echo a''cross")
    await his.shows("across")
    await mine.dispatch("claimed", claim={"kind": "client", "clientId": his.client.client_id})
    await his.action("claimed")
    await his.type("exit 5")
    assert (await mine.action("exited"))["exitCode"] == 5


async def test_terminals_of_killed_hosts_exit_and_leave_nothing(
    cluster: RunningService, connect_cluster: Connect, gone: Gone
) -> None:
    shell = await Shell.opened(await connect_cluster())
    await shell.type("(trap '' HUP; setsid sleep 70128.5) & nohup sleep 70128.5 & echo st''arted")
    await shell.shows("started")
    assert running("70128.5")
    before = {name: cluster.pid(name) for name in ("host-1", "host-2")}
    for name in before:
        cluster.kill(name)
    for name, pid in before.items():
        cluster.wait_restarted(name, pid)
    assert (await shell.action("exited", within_s=LOST_WITHIN_S))["exitCode"] == 137
    await gone("70128.5")
    again = await Shell.opened(shell.client)
    await again.type("echo alive a''gain")
    await again.shows("alive again")


async def test_a_host_that_is_told_to_stop_ends_its_terminals_at_once(
    cluster: RunningService, connect_cluster: Connect, gone: Gone
) -> None:
    shell = await Shell.opened(await connect_cluster())
    await shell.type("nohup sleep 70129.5 & echo st''arted")
    await shell.shows("started")
    for name in ("host-1", "host-2"):
        os.kill(cluster.pid(name), signal.SIGTERM)
    assert (await shell.action("exited", within_s=10))["exitCode"] == 137
    await gone("70129.5")
