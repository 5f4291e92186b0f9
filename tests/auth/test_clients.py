"""Whose is a client id, and which life is it in?"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from ahp_platform.protocol.errors import PermissionDenied
from auth_app.bearer import authenticate_socket
from auth_app.clients import Binding, bind_client
from auth_app.principal import Principal

OLD, NEW = "0.6.0", "0.7.0"

Enter = Callable[..., Any]


@pytest.fixture
def enter(people: Any, socket: Any) -> Enter:
    async def entered(name: str, tenant: str = "demo") -> Principal:
        token = await sync_to_async(people.token)(name, tenant)
        return await authenticate_socket(socket(tenant, authorization=f"Bearer {token}"))

    return entered


async def test_each_introduction_begins_a_life_and_reconnecting_goes_on_with_it(enter: Enter) -> None:
    alice = await enter("alice")
    bound = [await bind_client(alice, "c", version) for version in (OLD, None, NEW, None, None)]
    assert bound == [(1, OLD), (1, OLD), (2, NEW), (2, NEW), (2, NEW)]


async def test_a_client_that_reconnects_unknown_begins_its_first_life(enter: Enter) -> None:
    assert await bind_client(await enter("alice"), "never seen", None) == (1, "")


@pytest.mark.parametrize("version", [NEW, None])
async def test_a_client_id_stays_with_its_first_user(enter: Enter, version: str | None) -> None:
    alice, bob = await enter("alice"), await enter("bob")
    await bind_client(alice, "c", NEW)
    with pytest.raises(PermissionDenied):
        await bind_client(bob, "c", version)
    assert await bind_client(alice, "c", None) == (1, NEW)


async def test_tenants_have_client_ids_of_their_own(enter: Enter) -> None:
    await bind_client(await enter("alice"), "c", NEW)
    assert await bind_client(await enter("carol", "other"), "c", NEW) == (1, NEW)


async def test_two_who_come_with_one_new_id_at_once_do_not_both_get_it(enter: Enter) -> None:
    alice, bob = await enter("alice"), await enter("bob")
    came = await asyncio.gather(
        *(bind_client(who, "c", NEW) for who in (alice, bob) for _ in range(5)), return_exceptions=True
    )
    lives = [bound.life for bound in came if isinstance(bound, Binding)]
    refused = [error for error in came if isinstance(error, PermissionDenied)]
    assert (sorted(lives), len(refused)) == ([1, 2, 3, 4, 5], 5)


async def test_an_id_as_long_as_ids_may_be_is_bound(enter: Enter) -> None:
    assert await bind_client(await enter("alice"), "\U0001f511" * 256, NEW) == (1, NEW)
