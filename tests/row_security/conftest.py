"""What do the tests of the fence stand on? Two tenants, and connections as the service opens them."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Iterator
from typing import Any

import psycopg
import pytest
from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import connection, connections

from ahp_platform.db import connection_params
from ahp_platform.eventlog.models import TenantClock
from ahp_platform.eventlog.pool import close_pool
from ahp_platform.row_security import names
from auth_app.models import Tenant

Connection = psycopg.Connection[tuple[Any, ...]]


def tenant() -> int:
    made = Tenant.objects.create(slug=f"t{uuid.uuid4().hex[:12]}", name="Test")
    TenantClock.objects.create(tenant=made)
    return int(made.pk)


@pytest.fixture
def alices(transactional_db: None) -> int:
    """A tenant with a clock."""
    return tenant()


@pytest.fixture
def carols(transactional_db: None) -> int:
    """Another one."""
    return tenant()


@pytest.fixture
async def pools() -> AsyncIterator[None]:
    """The pools of the process, closed before the database is emptied."""
    yield
    await close_pool()
    await sync_to_async(connections.close_all)()


@pytest.fixture
def service_login(db: None) -> Iterator[Connection]:
    """A connection as a process of the service gets it."""
    database = names.as_application(connection.settings_dict, settings.SECRET_KEY)
    given = {**connection_params(), "user": database["USER"], "password": database["PASSWORD"]}
    with psycopg.connect(**given, autocommit=True) as conn:
        yield conn
