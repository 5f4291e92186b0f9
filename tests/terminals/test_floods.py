"""Is a flood bounded for everybody: on the disk, for readers that do not read, for the other terminals?"""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from websockets.asyncio.client import connect as connect_socket

from tests.client import ROOT, VERSION, Client
from tests.conftest import Connect
from tests.service import RunningService
from tests.terminals.shell import Shell

# What a host process does every few seconds, with a window of one megabyte.
TRIM = (
    "import asyncio; from django.conf import settings; from ahp_platform.eventlog.retention import trim;"
    "settings.AHP_REPLAY_MB = 1; asyncio.run(trim()); print('trimmed')"
)


async def newest(client: Client) -> int:
    """The number of the last action so far."""
    number: int = (await client.subscribe(ROOT))["fromSeq"]
    return number


@asynccontextmanager
async def frozen_reader(service: RunningService, channel: str) -> AsyncIterator[None]:
    """A client that follows the channel and never reads."""
    token = {"Authorization": f"Bearer {service.token('demo', 'bob')}"}
    async with connect_socket(service.socket(), additional_headers=token, max_queue=1, proxy=None) as socket:
        params = {
            "protocolVersions": [VERSION],
            "clientId": f"frozen-{uuid.uuid4()}",
            "initialSubscriptions": [channel],
        }
        await socket.send(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}))
        yield
        socket.transport.abort()


async def test_beyond_the_bytes_that_are_kept_there_are_snapshots(connect: Connect, service: RunningService) -> None:
    away = await connect("bob", ROOT)
    shell = await Shell.opened(await connect())
    born = await newest(away)
    await away.close()
    await shell.type("head -c 2000000 /dev/urandom | base64; echo o''ver")
    await shell.shows("over\r\n", within_s=60)
    recent = await newest(shell.client)

    assert await asyncio.to_thread(service.manage, "shell", "-c", TRIM) == "trimmed"

    back = await connect("bob", client_id=away.client_id, initialize=False)
    old = await back.reconnect(born, shell.uri)
    assert old["type"] == "snapshot"
    (told,) = (one["state"]["content"] for one in old["snapshots"] if one["resource"] == shell.uri)
    kept = "".join(part.get("output", part.get("value")) for part in told)
    assert "over\r\n" in kept
    assert kept in shell.text
    assert (await back.reconnect(recent, shell.uri))["type"] == "replay"
    await shell.type("echo still th''ere")
    await shell.shows("still there\r\n")


async def test_a_reader_that_does_not_read_holds_nobody_up(connect: Connect, service: RunningService) -> None:
    shell, other = await Shell.opened(await connect()), await Shell.opened(await connect())
    async with frozen_reader(service, shell.uri):
        await shell.type("yes flood")
        await shell.client.until(lambda: len(shell.client.envelopes) > 100, "a flood", within_s=60)
        sizes = [len(one["action"].get("data", "")) for one in shell.client.envelopes]
        await other.type("echo un''affected")
        await other.shows("unaffected\r\n")
        await shell.dispatch("input", data="\x03")
        await shell.type("echo calm ag''ain")
        await shell.shows("calm again\r\n")
    assert sum(sizes) > 1_000_000
