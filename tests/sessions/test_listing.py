"""What does a page of a long catalogue cost?"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import msgspec
import psycopg
import pytest
from django.db import connection

from ahp_platform.eventlog.pool import close_pool, connection_of
from auth_app.models import Tenant
from sessions_app import listing

SESSIONS, ALICE = 5_000, 7


@pytest.fixture
def long_catalogue(transactional_db: None) -> int:
    """A tenant with many sessions, each a second older than the one before."""
    tenant = Tenant.objects.create(slug="long", name="Long")
    with connection.cursor() as cursor:
        cursor.execute(
            """
            INSERT INTO sessions_app_session
                (tenant_id, uri, owner_id, provider, title, status, created_at, modified_at, summary)
            SELECT %s, 'ahp-session:/' || n, %s, 'demo', '', 1, now(), date_trunc('milliseconds', now()) - n * interval '1 second', n::text
            FROM generate_series(1, %s) AS n
            """,
            (tenant.pk, ALICE, SESSIONS),
        )
    return int(tenant.pk)


@pytest.fixture
async def statements(long_catalogue: int, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[list[str]]:
    """What is sent to the database by the pool, which stays the real one."""
    async with connection_of(long_catalogue):
        pass  # the pool is open
    seen: list[str] = []
    execute = psycopg.AsyncConnection.execute

    async def noted(self: Any, query: Any, *arguments: Any, **options: Any) -> Any:
        if "set_config" not in str(query):  # whose rows the connection shows, in the same round trip
            seen.append(query.decode() if isinstance(query, bytes) else str(query))
        return await execute(self, query, *arguments, **options)

    monkeypatch.setattr(psycopg.AsyncConnection, "execute", noted)
    yield seen
    await close_pool()


async def test_a_page_of_thousands_of_sessions_is_one_query(long_catalogue: int, statements: list[str]) -> None:
    cursor, read, pages = None, 0, 0
    while cursor is not None or not pages:
        page = await listing.page(long_catalogue, ALICE, None, cursor)
        items, cursor = msgspec.json.decode(page["items"]), page.get("nextCursor")
        assert items == list(range(read + 1, read + len(items) + 1))
        read, pages = read + len(items), pages + 1
    assert (read, pages) == (SESSIONS, SESSIONS / listing.DEFAULT_LIMIT)
    assert len(statements) == pages
