"""From which pages is a cookie taken, and from which a token?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from pytest_django import Settings

from auth_app.bearer import HandshakeRefused, authenticate_socket

Socket = Callable[..., dict[str, Any]]
OWN, TRUSTED, FOREIGN = "https://ahp.example", "https://trusted.example", "https://evil.example"


async def status_of(scope: dict[str, Any]) -> int:
    """101 for a socket that is let in."""
    try:
        await authenticate_socket(scope)
    except HandshakeRefused as refused:
        return refused.status
    return 101


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        (OWN, 101),
        ("https://AHP.example", 101),
        (TRUSTED, 101),
        (FOREIGN, 403),
        (None, 403),
        ("null", 403),
        ("", 403),
        ("http://ahp.example", 403),
        ("https://ahp.example:8443", 403),
        ("https://ahp.example.evil.example", 403),
        ("https://user@ahp.example", 403),
        ("https://[", 403),
    ],
)
async def test_a_cookie_counts_from_our_own_pages_and_trusted_ones(
    people: Any, socket: Socket, origin: str | None, status: int
) -> None:
    cookie = await sync_to_async(people.cookie)()
    headers = {"cookie": cookie} if origin is None else {"cookie": cookie, "origin": origin}
    assert await status_of(socket(**headers)) == status


async def test_a_foreign_page_does_not_learn_whether_its_visitor_is_logged_in(people: Any, socket: Socket) -> None:
    cookie = await sync_to_async(people.cookie)()
    for shown in (cookie, "sessionid=unknown"):
        assert await status_of(socket(cookie=shown, origin=FOREIGN)) == 403


async def test_a_host_that_is_not_ours_makes_no_origin_our_own(people: Any, socket: Socket) -> None:
    scope = socket(cookie=await sync_to_async(people.cookie)(), origin=FOREIGN)
    scope["headers"][0] = (b"host", b"evil.example")
    assert await status_of(scope) == 403


async def test_on_ones_own_machine_pages_come_without_tls(people: Any, socket: Socket, settings: Settings) -> None:
    settings.AHP_HTTPS = False
    cookie = await sync_to_async(people.cookie)()
    assert await status_of(socket(cookie=cookie, origin="http://ahp.example")) == 101


async def test_a_cookie_session_has_everything_the_role_may_have(people: Any, socket: Socket) -> None:
    principal = await authenticate_socket(socket(cookie=await sync_to_async(people.cookie)("vera"), origin=OWN))
    assert (principal.username, principal.role) == ("vera", "viewer")
    assert principal.scopes == {"sessions:read", "files"}


async def test_a_cookie_opens_no_tenant_its_user_is_not_in(people: Any, socket: Socket) -> None:
    assert await status_of(socket("other", cookie=await sync_to_async(people.cookie)(), origin=OWN)) == 403


@pytest.mark.parametrize(
    ("allowed", "origin", "status"),
    [
        (["*"], FOREIGN, 101),
        (["*"], None, 101),
        ([], FOREIGN, 403),
        ([], None, 101),
        ([], OWN, 101),
        ([], TRUSTED, 101),
        (["https://editor.example"], "https://editor.example", 101),
        (["https://editor.example"], FOREIGN, 403),
    ],
)
async def test_a_token_counts_from_the_origins_that_are_configured(
    people: Any, socket: Socket, settings: Settings, allowed: list[str], origin: str | None, status: int
) -> None:
    settings.AHP_TOKEN_ORIGINS = allowed
    token = await sync_to_async(people.token)()
    headers = {} if origin is None else {"origin": origin}
    assert await status_of(socket(query=f"tkn={token}", **headers)) == status


async def test_a_token_goes_before_the_cookie_it_comes_with(people: Any, socket: Socket) -> None:
    token, cookie = await sync_to_async(people.token)("bob"), await sync_to_async(people.cookie)("alice")
    principal = await authenticate_socket(socket(authorization=f"Bearer {token}", cookie=cookie, origin=FOREIGN))
    assert principal.username == "bob"
