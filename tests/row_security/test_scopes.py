"""Does a statement see the rows of the tenant that it was sent for, whatever its connection did before?"""

from __future__ import annotations

import asyncio
from typing import Any

import psycopg
import pytest
from django.db import DatabaseError, connection, transaction
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory
from pytest_django import Settings

from ahp_platform import tenancy
from ahp_platform.db import connection_params
from ahp_platform.eventlog.models import TenantClock
from ahp_platform.eventlog.pool import connection_of, fetch, fetch_across
from ahp_platform.row_security.requests import RequestScope
from ahp_platform.tenancy import across_tenants, no_tenant, tenant_scope
from auth_app.models import Tenant

# It has forgotten to say whose.
CLOCKS = "SELECT tenant_id FROM eventlog_tenantclock ORDER BY 1"


@pytest.fixture
def one_connection(settings: Settings) -> None:
    """All statements of a pool go over the same one."""
    settings.AHP_POOL_SIZE = 1


async def clocks(tenant: int) -> list[int]:
    return [seen for (seen,) in await fetch(CLOCKS, (), tenant=tenant)]


def clocks_of_the_orm() -> list[int]:
    return list(TenantClock.objects.order_by("pk").values_list("pk", flat=True))


async def test_a_statement_that_forgets_its_tenant_sees_no_other(
    alices: int, carols: int, one_connection: None, pools: None
) -> None:
    for tenant in (alices, carols, carols, alices):
        assert await clocks(tenant) == [tenant]
    assert await fetch_across(CLOCKS, ()) == [(alices,), (carols,)]
    assert await clocks(alices) == [alices]


async def test_tenants_that_ask_at_the_same_time_get_their_own(alices: int, carols: int, pools: None) -> None:
    asked = [alices, carols] * 30
    assert await asyncio.gather(*map(clocks, asked)) == [[tenant] for tenant in asked]


async def test_a_statement_that_fails_leaves_no_wrong_tenant(
    alices: int, carols: int, one_connection: None, pools: None
) -> None:
    assert await clocks(alices) == [alices]
    with pytest.raises(psycopg.errors.DivisionByZero):
        await fetch("SELECT 1 / 0", (), tenant=carols)
    assert await clocks(alices) == [alices]
    with pytest.raises(psycopg.errors.DivisionByZero):
        await fetch("SELECT 1 / 0", (), tenant=carols)
    assert await clocks(carols) == [carols]


async def test_a_transaction_that_is_undone_leaves_no_wrong_tenant(
    alices: int, carols: int, one_connection: None, pools: None
) -> None:
    with pytest.raises(psycopg.errors.DivisionByZero):
        async with connection_of(carols) as conn, conn.transaction():
            await conn.execute("SELECT 1 / 0")
    assert await clocks(alices) == [alices]
    async with connection_of(carols) as conn, conn.transaction(force_rollback=True):
        assert await (await conn.execute(CLOCKS)).fetchall() == [(carols,)]
    assert await clocks(carols) == [carols]


async def test_a_connection_that_dies_comes_back_for_the_right_tenant(
    alices: int, carols: int, one_connection: None, pools: None
) -> None:
    ((pid,),) = await fetch("SELECT pg_backend_pid()", (), tenant=carols)
    with psycopg.connect(**connection_params(), autocommit=True) as owner:
        owner.execute("SELECT pg_terminate_backend(%s, 5000)", (pid,))
    assert await clocks(alices) == [alices]


async def test_the_tenant_does_not_change_inside_a_transaction(alices: int, carols: int, pools: None) -> None:
    async with connection_of(alices) as conn, conn.transaction():
        with pytest.raises(RuntimeError, match="outside of transactions"):
            await conn.show(carols)


def test_the_orm_sees_what_the_code_around_it_is_for(alices: int, carols: int) -> None:
    with tenant_scope(alices):
        assert clocks_of_the_orm() == [alices]
        with across_tenants():
            assert clocks_of_the_orm() == [alices, carols]
        assert clocks_of_the_orm() == [alices]
        with no_tenant():
            assert clocks_of_the_orm() == []
        assert list(Tenant.objects.values_list("pk", flat=True)) == [alices]
    # The tests' own connection is the owner's.
    assert clocks_of_the_orm() == [alices, carols]


def test_the_orm_writes_for_nobody_else(alices: int, carols: int) -> None:
    with tenant_scope(alices):
        assert TenantClock.objects.update(seq=5) == 1
        with pytest.raises(DatabaseError, match="row-level security"):
            Tenant.objects.create(slug="another", name="Another")
    assert TenantClock.objects.get(pk=carols).seq == 0


class Undone(Exception):
    """What a transaction is left with."""


def test_a_scope_is_what_it_was_after_a_transaction_that_is_undone(alices: int, carols: int) -> None:
    def look_across_and_fail() -> None:
        with transaction.atomic():
            with across_tenants():
                assert clocks_of_the_orm() == [alices, carols]
            raise Undone

    with tenant_scope(alices):
        with pytest.raises(Undone):
            look_across_and_fail()
        assert clocks_of_the_orm() == [alices]


def test_a_scope_is_what_it_was_after_a_savepoint_that_is_undone(alices: int, carols: int) -> None:
    def see_nothing_and_fail() -> None:
        with transaction.atomic(), no_tenant():
            assert clocks_of_the_orm() == []
            raise Undone

    def fail_across() -> None:
        with transaction.atomic(), across_tenants(), connection.cursor() as cursor:
            cursor.execute("SELECT 1 / 0")

    with tenant_scope(alices), transaction.atomic():
        with pytest.raises(Undone):
            see_nothing_and_fail()
        assert clocks_of_the_orm() == [alices]
        with pytest.raises(DatabaseError):
            fail_across()
        assert clocks_of_the_orm() == [alices]


@pytest.mark.parametrize(
    ("path", "scope"),
    [
        ("/admin/", tenancy.ACROSS),
        ("/o/token/", tenancy.ACROSS),
        ("/api/me", tenancy.ACROSS),
        ("/", tenancy.NOBODY),
        ("/api/v1/sessions", tenancy.NOBODY),
        ("/ohlala", tenancy.NOBODY),
    ],
)
def test_a_page_sees_nobodys_rows_unless_tenants_are_its_question(path: str, scope: str) -> None:
    seen: list[Any] = []

    def view(request: HttpRequest) -> HttpResponse:
        seen.append(tenancy.current())
        return HttpResponse()

    RequestScope(view)(RequestFactory().get(path))
    assert seen == [scope]
    assert tenancy.current() == tenancy.AS_CONNECTED
