"""What may every test use? The real service, clients on real sockets, and a cluster whose processes can be killed."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, contextmanager, suppress
from typing import Any, Protocol

import psycopg
import pytest
from django.conf import settings
from django.db import connections
from psycopg import sql
from psycopg.conninfo import make_conninfo

from ahp_platform.row_security import roles
from ahp_platform.row_security.names import APPLICATION
from ahp_platform.row_security.prepare import ensure
from tests.client import Client
from tests.service import RunningService, own_data

CAROLS_TENANT = "other"


class Connect(Protocol):
    """Opens a client that is closed when the test ends."""

    async def __call__(
        self, user: str = "alice", *subscriptions: str, initialize: bool = True, port: int | None = None, **options: Any
    ) -> Client:
        """`options` go to `Client.open`."""


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings: None) -> Iterator[None]:
    """Ends after the tests' own database has been dropped: its roles are of no use then."""
    yield
    if settings.AHP_DATABASE_ROLE == APPLICATION:
        server = os.environ["DATABASE_URL"]
        with psycopg.connect(make_conninfo(server, dbname="postgres"), autocommit=True) as connection:
            for statement in roles.drop(connections["default"].creation._get_test_db_name()):  # type: ignore[attr-defined]
                # Where Django could not drop the database, they stay with it.
                with suppress(psycopg.errors.DependentObjectsStillExist):
                    connection.execute(statement)


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: Any) -> None:
    """Within the process, too, statements of the pools run under the role of the service; the tests' own under the owner."""
    with django_db_blocker.unblock():
        ensure(settings.SECRET_KEY)
    settings.AHP_DATABASE_ROLE = APPLICATION


@pytest.fixture(scope="session")
def service_database() -> Iterator[str]:
    """An empty database for a service, beside the one that pytest-django gives to tests within the process."""
    with empty_database("service") as database:
        yield database


@pytest.fixture(scope="module")
def own_database() -> Iterator[str]:
    """One for a further service: the processes of two on one database would do each other's work."""
    with empty_database("own") as database:
        yield database


@contextmanager
def empty_database(purpose: str) -> Iterator[str]:
    """A database that is dropped with its roles when the block ends; one of each purpose per worker."""
    server = os.environ["DATABASE_URL"]
    name = f"ahp_{purpose}_{os.environ.get('PYTEST_XDIST_WORKER', 'main')}_{os.getpid()}"
    admin = make_conninfo(server, dbname="postgres")
    drop = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name))
    with psycopg.connect(admin, autocommit=True) as connection:
        connection.execute(drop)
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    yield make_conninfo(server, dbname=name)
    with psycopg.connect(admin, autocommit=True) as connection:
        connection.execute(drop)
        for statement in roles.drop(name):
            connection.execute(statement)


@pytest.fixture(scope="session")
def service(service_database: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """What `./ahp up` runs, once per worker."""
    env = own_data(tmp_path_factory.mktemp("up"), f"ahp-up-{os.getpid()}") | {"DATABASE_URL": service_database}
    yield from _running(RunningService("up", env=env))


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """Two web and two host processes, Celery, PostgreSQL and Valkey, all of which may be killed: names as `cluster` prints them."""
    env = own_data(tmp_path_factory.mktemp("cluster"), f"ahp-cluster-{os.getpid()}")
    unnamed = dict.fromkeys(("DATABASE_URL", "REDIS_URL"), "")
    yield from _running(RunningService("cluster", "--web", "2", "--hosts", "2", env=env | unnamed))


@pytest.fixture
async def connect(service: RunningService) -> AsyncIterator[Connect]:
    """Clients of `service`."""
    async with AsyncExitStack() as stack:
        yield connector(service, stack)


@pytest.fixture
async def connect_cluster(cluster: RunningService) -> AsyncIterator[Connect]:
    """Clients of `cluster`; `port` picks one of `cluster.web_ports()`."""
    async with AsyncExitStack() as stack:
        yield connector(cluster, stack)


def connector(service: RunningService, stack: AsyncExitStack) -> Connect:
    """Opens clients of a service, closed with the stack."""

    async def connect(
        user: str = "alice", *subscriptions: str, initialize: bool = True, port: int | None = None, **options: Any
    ) -> Client:
        tenant = CAROLS_TENANT if user == "carol" else "demo"
        client = await Client.open(service.socket(tenant, port), service.token(tenant, user), **options)
        stack.push_async_callback(client.close)
        if initialize:
            await client.initialize(*subscriptions)
        return client

    return connect


def _running(service: RunningService) -> Iterator[RunningService]:
    try:
        service.wait_ready()
        yield service
    finally:
        service.stop()
