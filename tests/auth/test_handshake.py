"""Whom does the handshake let in, and as whom?"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from oauth2_provider.models import AccessToken

from auth_app.bearer import HandshakeRefused, accepted_subprotocol, authenticate_socket
from auth_app.models import Membership, Tenant, TokenBinding

Socket = Callable[..., dict[str, Any]]
ORIGIN = "https://ahp.example"


async def refusal(scope: dict[str, Any]) -> HandshakeRefused:
    with pytest.raises(HandshakeRefused) as caught:
        await authenticate_socket(scope)
    return caught.value


@pytest.mark.parametrize("way", ["header", "header in capitals", "subprotocol", "url"])
async def test_a_token_opens_the_socket_of_its_tenant_however_it_is_brought(
    people: Any, socket: Socket, way: str
) -> None:
    token = await sync_to_async(people.token)("bob")
    scope = {
        "header": lambda: socket(authorization=f"Bearer {token}"),
        "header in capitals": lambda: socket(authorization=f"BEARER {token}"),
        "subprotocol": lambda: socket(subprotocols=["ahp", f"ahp.bearer.{token}"]),
        "url": lambda: socket(query=f"x=1&tkn={token}"),
    }[way]()
    principal = await authenticate_socket(scope)
    assert (principal.tenant_slug, principal.username, principal.role) == ("demo", "bob", "member")
    assert principal.scopes == {"sessions:read", "sessions:write", "terminals", "files"}
    assert principal.expires_at is not None


async def test_scopes_are_those_of_the_token_within_those_of_the_role(people: Any, socket: Socket) -> None:
    token = await sync_to_async(people.token)("vera", scopes=["sessions:read", "sessions:write", "admin"])
    principal = await authenticate_socket(socket(authorization=f"Bearer {token}"))
    assert principal.scopes == {"sessions:read"}


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"authorization": "Bearer nonsense"},
        {"authorization": "Bearer "},
        {"authorization": "Bearer"},
        {"authorization": "Basic YWxpY2U6cHc="},
        {"authorization": "Bearer " + "x" * 1_000_000},
        {"authorization": "Bearer \x00"},
        {"authorization": "Bearer é\ud7ff".encode().decode("latin-1")},
        {"cookie": "csrftoken=1"},
        {"cookie": "sessionid=unknown", "origin": ORIGIN},
        {"cookie": "sessionid=", "origin": ORIGIN},
        {"cookie": "sessionid=\x00", "origin": ORIGIN},
    ],
)
async def test_without_a_valid_credential_the_answer_is_401(
    people: Any, socket: Socket, headers: dict[str, str]
) -> None:
    assert (await refusal(socket(**headers))).status == 401


async def test_a_token_that_expired_a_second_ago_is_refused(people: Any, socket: Socket) -> None:
    token = await sync_to_async(people.token)(seconds=-1)
    assert (await refusal(socket(authorization=f"Bearer {token}"))).status == 401


async def test_a_truncated_token_is_refused(people: Any, socket: Socket) -> None:
    token = await sync_to_async(people.token)()
    assert (await refusal(socket(authorization=f"Bearer {token[:-1]}"))).status == 401


async def test_a_token_of_a_disabled_user_is_refused(people: Any, socket: Socket) -> None:
    token = await sync_to_async(people.token)()
    user = await sync_to_async(people.user)()
    user.is_active = False
    await user.asave()
    assert (await refusal(socket(authorization=f"Bearer {token}"))).status == 401


@pytest.mark.parametrize("tenant", ["other", "no-such-tenant", "switched-off"])
async def test_a_tenant_one_is_no_member_of_looks_like_one_that_does_not_exist(
    people: Any, socket: Socket, tenant: str
) -> None:
    await Tenant.objects.acreate(slug="switched-off", name="Off", is_active=False)
    token = await sync_to_async(people.token)()
    refused = await refusal(socket(tenant, authorization=f"Bearer {token}"))
    assert (refused.status, refused.reason) == (403, "not for this tenant")


async def test_a_token_of_one_tenant_is_refused_at_another_of_the_same_user(people: Any, socket: Socket) -> None:
    token = await sync_to_async(people.token)("alice", "demo")
    alice, other = await sync_to_async(people.user)("alice"), await sync_to_async(people.tenant)("other")
    await Membership.objects.acreate(user=alice, tenant=other, role="member")
    assert (await refusal(socket("other", authorization=f"Bearer {token}"))).status == 403


async def test_a_token_that_names_no_tenant_opens_those_of_its_user(people: Any, socket: Socket) -> None:
    token = await sync_to_async(people.token)("alice")
    await TokenBinding.objects.all().adelete()
    assert (await authenticate_socket(socket(authorization=f"Bearer {token}"))).username == "alice"
    assert (await refusal(socket("other", authorization=f"Bearer {token}"))).status == 403


async def test_a_token_without_a_user_is_refused(people: Any, socket: Socket) -> None:
    token = await sync_to_async(people.token)()
    await AccessToken.objects.all().aupdate(user=None)
    assert (await refusal(socket(authorization=f"Bearer {token}"))).status == 401


async def test_a_token_for_the_resource_of_this_socket_is_taken(people: Any, socket: Socket) -> None:
    token = await sync_to_async(people.token)(resources=["https://else.example", f"{ORIGIN}/ahp/demo"])
    assert (await authenticate_socket(socket(authorization=f"Bearer {token}"))).tenant_slug == "demo"


@pytest.mark.parametrize(
    "resource",
    [
        f"{ORIGIN}/ahp/demo/",
        f"{ORIGIN}/ahp/Demo",
        f"{ORIGIN}/ahp/demo-2",
        f"{ORIGIN}/ahp",
        f"{ORIGIN}/ahp/other",
        f"{ORIGIN}/agents/demo-protected",
        "http://ahp.example/ahp/demo",
    ],
)
async def test_a_token_for_another_resource_is_refused(people: Any, socket: Socket, resource: str) -> None:
    token = await sync_to_async(people.token)(resources=[resource])
    assert (await refusal(socket(authorization=f"Bearer {token}"))).status == 401


async def test_the_host_header_does_not_make_a_resource_ours(people: Any, socket: Socket) -> None:
    token = await sync_to_async(people.token)(resources=["https://evil.example/ahp/demo"])
    scope = socket(authorization=f"Bearer {token}")
    scope["headers"][0] = (b"host", b"evil.example")
    assert (await refusal(scope)).status == 401


async def test_the_header_goes_before_the_url(people: Any, socket: Socket) -> None:
    good = await sync_to_async(people.token)()
    assert (await refusal(socket(authorization="Bearer bad", query=f"tkn={good}"))).status == 401


@pytest.mark.parametrize(
    ("offered", "accepted"),
    [([], None), (["ahp"], "ahp"), (["ahp.bearer.x"], "ahp"), (["ahp", "ahp.bearer.x"], "ahp"), (["mqtt"], None)],
)
def test_the_subprotocol_is_answered_without_the_token(
    socket: Socket, offered: list[str], accepted: str | None
) -> None:
    assert accepted_subprotocol(socket(subprotocols=offered)) == accepted


async def test_a_token_reaches_no_log_and_no_error(
    people: Any, socket: Socket, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    good, late = await sync_to_async(people.token)(), await sync_to_async(people.token)(seconds=-1)
    principal = await authenticate_socket(socket(query=f"tkn={good}"))
    refused = [
        await refusal(socket(query=f"tkn={late}")),
        await refusal(socket("other", subprotocols=[f"ahp.bearer.{good}"])),
        await refusal(socket(authorization=f"Bearer {late}")),
    ]
    said = f"{caplog.text} {principal!r} {refused!r} {[str(one) for one in refused]}"
    assert good not in said
    assert late not in said


async def test_a_stored_token_cannot_be_read_back(people: Any) -> None:
    token = await sync_to_async(people.token)()
    row = await AccessToken.objects.aget()
    assert token not in str(vars(row))
    assert row.token == ""
