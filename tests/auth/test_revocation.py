"""What does the periodic check notice about those who are in already?"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from oauth2_provider.models import AccessToken

from auth_app.bearer import NO_CREDENTIAL, NO_RIGHTS, authenticate_socket, still_valid
from auth_app.models import Membership, Tenant
from auth_app.principal import Principal

Socket = Callable[..., dict[str, Any]]
ORIGIN = "https://ahp.example"


@pytest.fixture
async def by_token(people: Any, socket: Socket) -> Principal:
    return await authenticate_socket(socket(authorization=f"Bearer {await sync_to_async(people.token)('bob')}"))


@pytest.fixture
async def by_cookie(people: Any, socket: Socket) -> Principal:
    return await authenticate_socket(socket(cookie=await sync_to_async(people.cookie)("bob"), origin=ORIGIN))


async def test_while_nothing_happens_everybody_stays_who_they_are(by_token: Principal, by_cookie: Principal) -> None:
    both = {by_token, by_cookie}
    assert await still_valid(both) == {principal: principal for principal in both}
    assert await still_valid(set()) == {}


async def remove_member() -> None:
    await Membership.objects.filter(user__username="bob").adelete()


async def disable_user() -> None:
    await User.objects.filter(username="bob").aupdate(is_active=False)


async def disable_tenant() -> None:
    await Tenant.objects.filter(slug="demo").aupdate(is_active=False)


async def delete_user() -> None:
    await User.objects.filter(username="bob").adelete()


@pytest.mark.parametrize("happens", [remove_member, disable_user, disable_tenant, delete_user])
async def test_whoever_may_not_come_in_any_more_must_leave(
    by_token: Principal, by_cookie: Principal, happens: Callable[[], Awaitable[None]]
) -> None:
    await happens()
    assert await still_valid({by_token, by_cookie}) == {by_token: NO_RIGHTS, by_cookie: NO_RIGHTS}


async def test_a_revoked_token_ends_its_sockets_and_no_others(by_token: Principal, by_cookie: Principal) -> None:
    token = await AccessToken.objects.aget()
    await sync_to_async(token.revoke)()
    assert await still_valid({by_token, by_cookie}) == {by_token: NO_CREDENTIAL, by_cookie: by_cookie}


async def test_an_expired_token_ends_its_sockets(by_token: Principal) -> None:
    await AccessToken.objects.aupdate(expires="2020-01-01T00:00:00Z")
    assert await still_valid({by_token}) == {by_token: NO_CREDENTIAL}


async def test_logging_out_ends_the_sockets_of_that_browser(by_token: Principal, by_cookie: Principal) -> None:
    await Session.objects.all().adelete()
    assert await still_valid({by_token, by_cookie}) == {by_token: by_token, by_cookie: NO_CREDENTIAL}


async def test_a_new_password_ends_the_sessions_opened_with_the_old_one(by_cookie: Principal) -> None:
    bob = await User.objects.aget(username="bob")
    bob.set_password("another one")
    await bob.asave()
    assert await still_valid({by_cookie}) == {by_cookie: NO_CREDENTIAL}


async def test_a_new_role_is_in_force_with_its_scopes(by_token: Principal, by_cookie: Principal) -> None:
    await Membership.objects.filter(user__username="bob").aupdate(role="viewer")
    for now in (await still_valid({by_token, by_cookie})).values():
        assert isinstance(now, Principal)
        assert now.role == "viewer"
        assert now.scopes == {"sessions:read", "files"}


async def test_each_is_judged_in_the_tenant_they_are_in(people: Any, socket: Socket, by_token: Principal) -> None:
    carol = await authenticate_socket(
        socket("other", authorization=f"Bearer {await sync_to_async(people.token)('carol', 'other')}")
    )
    await Tenant.objects.filter(slug="other").aupdate(is_active=False)
    assert await still_valid({by_token, carol}) == {by_token: by_token, carol: NO_RIGHTS}
