"""Whose is a client id, and which life is it in?"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from ahp_platform.protocol.errors import PermissionDenied
from auth_app.bearer import authenticate_socket
from auth_app.clients import bind_client
from auth_app.principal import Principal

Enter = Callable[..., Any]


@pytest.fixture
def enter(people: Any, socket: Any) -> Enter:
    async def entered(name: str, tenant: str = "demo") -> Principal:
        token = await sync_to_async(people.token)(name, tenant)
        return await authenticate_socket(socket(tenant, authorization=f"Bearer {token}"))

    return entered


async def test_each_introduction_begins_a_life_and_reconnecting_goes_on_with_it(enter: Enter) -> None:
    alice = await enter("alice")
    assert [await bind_client(alice, "c", fresh) for fresh in (True, False, True, False, False)] == [1, 1, 2, 2, 2]


async def test_a_client_that_reconnects_unknown_begins_its_first_life(enter: Enter) -> None:
    assert await bind_client(await enter("alice"), "never seen", False) == 1


@pytest.mark.parametrize("fresh", [True, False])
async def test_a_client_id_stays_with_its_first_user(enter: Enter, fresh: bool) -> None:
    alice, bob = await enter("alice"), await enter("bob")
    await bind_client(alice, "c", True)
    with pytest.raises(PermissionDenied):
        await bind_client(bob, "c", fresh)
    assert await bind_client(alice, "c", False) == 1


async def test_tenants_have_client_ids_of_their_own(enter: Enter) -> None:
    await bind_client(await enter("alice"), "c", True)
    assert await bind_client(await enter("carol", "other"), "c", True) == 1


async def test_two_who_come_with_one_new_id_at_once_do_not_both_get_it(enter: Enter) -> None:
    alice, bob = await enter("alice"), await enter("bob")
    came = await asyncio.gather(
        *(bind_client(who, "c", True) for who in (alice, bob) for _ in range(5)), return_exceptions=True
    )
    lives = [life for life in came if isinstance(life, int)]
    refused = [error for error in came if isinstance(error, PermissionDenied)]
    assert (sorted(lives), len(refused)) == ([1, 2, 3, 4, 5], 5)


async def test_an_id_as_long_as_ids_may_be_is_bound(enter: Enter) -> None:
    assert await bind_client(await enter("alice"), "\U0001f511" * 256, True) == 1
