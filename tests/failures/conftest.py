"""What is killed in these tests? A cluster of their own, with short leases and grace periods, and servers of its own."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.conftest import Connect, connector
from tests.service import RunningService, own_data

# Short enough to wait for, long enough for a busy machine to keep its own leases.
SHORT = {"AHP_LEASE_S": "6", "AHP_CLIENT_GRACE_S": "3", "AHP_REDIS_GRACE_S": "10"}


def start_cluster(folder: Path, more: Mapping[str, str] = SHORT) -> RunningService:
    """Two web and two host processes, Celery, PostgreSQL and Valkey with their data in `folder`."""
    env = own_data(folder, f"ahp-failures-{os.getpid()}") | {"DATABASE_URL": "", "REDIS_URL": "", **more}
    service = RunningService("cluster", "--web", "2", "--hosts", "2", env=env)
    service.wait_ready()
    return service


@pytest.fixture(scope="module")
def doomed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """The cluster whose processes these tests kill."""
    service = start_cluster(tmp_path_factory.mktemp("doomed"))
    yield service
    service.stop()


@pytest.fixture
async def connect(doomed: RunningService) -> AsyncIterator[Connect]:
    """Clients of `doomed`; `port` picks one of its web processes."""
    async with AsyncExitStack() as stack:
        yield connector(doomed, stack)
