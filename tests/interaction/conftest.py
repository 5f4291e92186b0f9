"""What do conversations need? Clients whose streams are checked when they are over, and a service with small limits."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from typing import Any, Protocol

import pytest

from tests.client import VERSION, Client
from tests.conftest import Connect, connector, empty_database
from tests.interaction.conversation import Talk, begin
from tests.interaction.mirror import Mirror, comparable
from tests.service import RunningService, own_data

SMALL_LIMITS = {
    "AHP_MAX_FRAME_BYTES": "65536",
    "AHP_MAX_SUBSCRIPTIONS": "5",
    "AHP_OUTBOX_BYTES": "1048576",
    "AHP_MESSAGES_PER_SECOND": "50",
    "AHP_REPLAY_ACTIONS": "20",
    "AHP_CLIENT_GRACE_S": "1",
}


def pytest_configure(config: pytest.Config) -> None:
    """Name our marker."""
    config.addinivalue_line("markers", "covers(*rules): the rules of requirements.py that the test shows")


class Agrees(Protocol):
    """Checks that what a client made of its stream is what a newcomer is told."""

    async def __call__(self, client: Client, *channels: str) -> None: ...


@pytest.fixture
async def connect(service: RunningService) -> AsyncIterator[Connect]:
    """Clients of `service`, as everywhere; here their streams are checked, too."""
    async with AsyncExitStack() as stack:
        recorder = Recorder(connector(service, stack))
        yield recorder
        recorder.check()


@pytest.fixture
async def agrees(connect: Connect) -> Agrees:
    """See `Agrees`."""
    assert isinstance(connect, Recorder)
    return connect.agrees


@pytest.fixture
async def talk(connect: Connect) -> Talk:
    """A new session of Alice's with its default chat, both subscribed."""
    return await begin(await connect("alice"))


@pytest.fixture(scope="session")
def small_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service whose limits are soon reached."""
    env = own_data(tmp_path_factory.mktemp("small"), f"ahp-small-{os.getpid()}")
    with empty_database("small") as database:
        running = RunningService("up", env=env | SMALL_LIMITS | {"DATABASE_URL": database})
        try:
            running.wait_ready()
            yield running
        finally:
            running.stop()


@pytest.fixture
async def connect_small(small_service: RunningService) -> AsyncIterator[Connect]:
    """Clients of `small_service`."""
    async with AsyncExitStack() as stack:
        yield connector(small_service, stack)


class Recorder:
    """Opens clients and remembers them. Implements `Connect`."""

    def __init__(self, connect: Connect) -> None:
        self._connect = connect
        self._clients: list[tuple[Client, str, bool]] = []

    async def __call__(self, user: str = "alice", *subscriptions: str, **options: Any) -> Client:
        client = await self._connect(user, *subscriptions, **options)
        # Whoever opens a bare socket may say an older version, or carry states over from before.
        self._clients.append((client, user, options.get("initialize", True)))
        return client

    def check(self) -> None:
        """The stream of every client was in order."""
        for client, _, plain in self._clients:
            if plain:
                Mirror().take(client.frames)

    async def agrees(self, client: Client, *channels: str) -> None:
        """See `Agrees`."""
        user = next(user for known, user, _ in self._clients if known is client)
        newcomer = await self._connect(user, *channels)
        told = newcomer.frames[0]["result"]
        assert told["protocolVersion"] == VERSION
        await client.fence()
        known = Mirror(through=told["serverSeq"]).take(client.frames).states
        fresh = {snapshot["resource"]: snapshot["state"] for snapshot in told["snapshots"]}
        assert fresh.keys() == set(channels)
        assert {uri: comparable(known[uri]) for uri in channels} == {uri: comparable(fresh[uri]) for uri in channels}
