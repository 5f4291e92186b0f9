"""Do resources work whichever process a client is connected to, and when one of them dies?"""

from __future__ import annotations

import asyncio

import pytest

from tests.client import Client
from tests.conftest import Connect
from tests.files.test_watches import until_gone, until_seen, watch
from tests.service import RunningService

# A dead process counts as alive for so long.
SWEPT_WITHIN_S = 30.0


@pytest.fixture
async def pair(cluster: RunningService, connect_cluster: Connect) -> tuple[Client, Client, str]:
    """Two clients of Alice's at different web processes, and her tenant's directory."""
    first, second = cluster.web_ports()
    here, there = await connect_cluster(port=first, initialize=False), await connect_cluster(port=second)
    return here, there, (await here.initialize())["defaultDirectory"]


async def test_a_client_at_another_process_is_asked(pair: tuple[Client, Client, str]) -> None:
    here, there, _ = pair
    answer = {"data": "far", "encoding": "utf-8"}
    there.serve = lambda method, params: answer
    assert await here.request("resourceRead", {"uri": f"virtual://{there.client_id}/x"}) == answer


async def test_of_writers_at_two_processes_who_saw_one_version_one_wins(pair: tuple[Client, Client, str]) -> None:
    here, there, home = pair
    target = {"uri": f"{home}/contested", "encoding": "utf-8"}
    await here.request("resourceWrite", {**target, "data": "0"})
    for number in range(20):
        seen = (await here.request("resourceResolve", {"uri": target["uri"]}))["etag"]
        writes = [{**target, "data": f"{number}{who}", "ifMatch": seen} for who in "ab"]
        asked = [(here, await here.start("resourceWrite", writes[0]))]
        asked.append((there, await there.start("resourceWrite", writes[1])))
        answers = await asyncio.gather(*(client.reply(one) for client, one in asked), return_exceptions=True)
        assert sorted(getattr(answer, "code", 0) for answer in answers) == [-32011, 0]


async def test_a_watch_lives_on_with_a_subscriber_at_another_process(
    pair: tuple[Client, Client, str], cluster: RunningService
) -> None:
    here, there, home = pair
    channel = await watch(here, home)
    await there.subscribe(channel)
    here.cut()
    # As long as it takes for watches that nobody follows to end.
    for number in range(3):
        other = await watch(there, home)
        await there.notify("unsubscribe", {"channel": other})
        await until_gone(cluster, other)
        await there.request("resourceWrite", {"uri": f"{home}/f{number}", "data": "", "encoding": "utf-8"})
        await until_seen(there, channel, f"{home}/f{number}", "added")


async def test_the_watches_of_a_process_that_dies_are_closed(
    pair: tuple[Client, Client, str], cluster: RunningService
) -> None:
    here, there, home = pair
    channel = await watch(here, home)
    await there.subscribe(channel)
    await asyncio.to_thread(cluster.kill, "web-1")
    await until_gone(cluster, channel, SWEPT_WITHIN_S)
    assert (await there.refused("subscribe", {"channel": channel})).code == -32008
