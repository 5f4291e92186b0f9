"""Which tokens for protected resources are taken, and who gets them back?"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User
from oauth2_provider.models import AccessToken
from pytest_django import Settings

from ahp_platform.agents import registry
from ahp_platform.protocol.errors import AuthRequired, InvalidParams
from auth_app import grants
from auth_app.bearer import authenticate_socket
from auth_app.models import ResourceGrant
from auth_app.principal import Principal
from auth_app.rpc import authenticate

HERE = "https://ahp.example"
OURS: dict[str, Any] = {"resource": f"{HERE}/agents/x", "authorization_servers": [HERE]}
THEIRS: dict[str, Any] = {"resource": "https://git.example", "authorization_servers": ["https://login.example"]}


@pytest.fixture
async def alice(people: Any, socket: Callable[..., dict[str, Any]]) -> Principal:
    token = await sync_to_async(people.token)("alice")
    return await authenticate_socket(socket(authorization=f"Bearer {token}"))


@pytest.fixture
async def bob(people: Any, socket: Callable[..., dict[str, Any]]) -> Principal:
    token = await sync_to_async(people.token)("bob")
    return await authenticate_socket(socket(authorization=f"Bearer {token}"))


async def held(who: Principal, resource: str) -> str | None:
    return await grants.token_for(who.tenant_id, who.user_id, resource)


async def test_a_token_of_ours_for_the_resource_is_kept(people: Any, alice: Principal) -> None:
    token = await sync_to_async(people.token)("alice", resources=[OURS["resource"]])
    await grants.accept(alice, OURS, token, ["sessions:read"])
    assert await held(alice, OURS["resource"]) == token
    assert await grants.missing(alice, [OURS, THEIRS]) == [THEIRS]


@pytest.mark.parametrize(
    "asked",
    [
        {"resources": []},
        {"resources": [f"{HERE}/agents/x/"]},
        {"resources": [f"{HERE}/agents/X"]},
        {"resources": [f"{HERE}/agents"]},
        {"resources": [f"{HERE}/agents/xy"]},
        {"resources": [OURS["resource"]], "seconds": -1},
        {"resources": [OURS["resource"]], "name": "bob"},
        {"resources": [OURS["resource"]], "name": "carol", "tenant": "other"},
        {"resources": [OURS["resource"]], "scopes": ["sessions:write"]},
    ],
)
async def test_a_token_of_ours_for_anything_else_is_refused_with_the_resource(
    people: Any, alice: Principal, asked: dict[str, Any]
) -> None:
    token = await sync_to_async(people.token)(**asked)
    with pytest.raises(AuthRequired) as refused:
        await grants.accept(alice, OURS, token, ["sessions:read"])
    assert refused.value.data == {"resources": [OURS]}
    assert token not in str(refused.value)
    assert await held(alice, OURS["resource"]) is None


async def test_a_token_of_another_tenant_is_refused(people: Any, alice: Principal) -> None:
    token = await sync_to_async(people.token)("alice", resources=[OURS["resource"]])
    with pytest.raises(AuthRequired):
        await grants.accept(replace(alice, tenant_id=alice.tenant_id + 1), OURS, token, [])


async def test_a_revoked_token_of_ours_is_gone_from_where_it_was_kept(people: Any, alice: Principal) -> None:
    token = await sync_to_async(people.token)("alice", resources=[OURS["resource"]])
    await grants.accept(alice, OURS, token, [])
    row = await AccessToken.objects.aget(resource=[OURS["resource"]])
    await sync_to_async(row.revoke)()
    assert await held(alice, OURS["resource"]) is None
    assert await grants.missing(alice, [OURS]) == [OURS]


async def test_an_expired_token_of_ours_is_missing(people: Any, alice: Principal) -> None:
    token = await sync_to_async(people.token)("alice", resources=[OURS["resource"]])
    await grants.accept(alice, OURS, token, [])
    await ResourceGrant.unscoped.aupdate(expires_at=datetime.now(UTC) - timedelta(seconds=1))
    assert await grants.missing(alice, [OURS]) == [OURS]


async def test_each_user_gets_their_own_token(alice: Principal, bob: Principal) -> None:
    await grants.accept(alice, THEIRS, "alice's", [])
    await grants.accept(bob, THEIRS, "bob's", [])
    assert (await held(alice, THEIRS["resource"]), await held(bob, THEIRS["resource"])) == ("alice's", "bob's")
    await User.objects.filter(username="bob").adelete()
    assert (await held(alice, THEIRS["resource"]), await held(bob, THEIRS["resource"])) == ("alice's", None)


async def test_a_new_token_takes_the_place_of_the_old_one(alice: Principal) -> None:
    for token in ("first", "second"):
        await grants.accept(alice, THEIRS, token, [])
    assert await held(alice, THEIRS["resource"]) == "second"


@pytest.mark.parametrize(
    "almost", ["https://git.example/", "https://GIT.example", "https://git.example.", "https://git.exampl"]
)
async def test_resources_are_compared_character_by_character(alice: Principal, almost: str) -> None:
    await grants.accept(alice, THEIRS, "secret", [])
    assert await held(alice, almost) is None


async def test_a_token_is_encrypted_at_rest_and_absent_from_logs(
    alice: Principal, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    await grants.accept(alice, THEIRS, "hunter2-hunter2", [])
    await held(alice, THEIRS["resource"])
    row = await ResourceGrant.unscoped.aget()
    assert b"hunter2" not in bytes(row.token)
    assert "hunter2" not in f"{caplog.text} {row!r}"


async def test_keys_rotate(alice: Principal, settings: Settings) -> None:
    await grants.accept(alice, THEIRS, "secret", [])
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "new", [settings.SECRET_KEY]
    assert await held(alice, THEIRS["resource"]) == "secret"
    settings.SECRET_KEY_FALLBACKS = []
    assert await held(alice, THEIRS["resource"]) is None


async def test_only_advertised_resources_are_taken(
    people: Any, alice: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "agent_infos", lambda *_: [{"provider": "x", "protectedResources": [OURS]}, {}])
    context: Any = SimpleNamespace(principal=alice)
    token = await sync_to_async(people.token)("alice", resources=[OURS["resource"]])
    with pytest.raises(InvalidParams):
        await authenticate(context, {"resource": THEIRS["resource"], "token": token})
    with pytest.raises(AuthRequired):
        await authenticate(context, {"resource": OURS["resource"], "token": "garbage"})
    assert await authenticate(context, {"resource": OURS["resource"], "token": token}) == {}
    assert await held(alice, OURS["resource"]) == token
