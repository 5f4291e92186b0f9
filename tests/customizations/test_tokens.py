"""Does a server that wants tokens get each user's own, asked for when it wants it, and no other?"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from typing import Any

import pytest

from tests.client import Client, Message
from tests.conftest import Connect
from tests.customizations.vault import Vault, running
from tests.customizations.workspaces import Project, approve, call_in, called, ready, start, stop, until, until_state
from tests.interaction.conversation import Talk, accepted

ALICES, BOBS = "alices-token", "bobs-token"

Open = Callable[..., Any]


@pytest.fixture
async def opened() -> AsyncIterator[Open]:
    """Starts vaults, which end with the test."""
    async with AsyncExitStack() as stack:

        async def open_vault(tokens: dict[str, set[str]] | None, resource: str = "") -> Vault:
            return await stack.enter_async_context(running(Vault(tokens, resource)))

        yield open_vault


async def authenticate(client: Client, resource: str, token: str) -> None:
    assert await client.request("authenticate", {"resource": resource, "token": token}) == {}


async def locked(talk: Talk) -> Message:
    """Start the vault, which wants a token: its state."""
    server = await until(talk, "vault")
    await accepted(talk.client, talk.session, start(server["id"]))
    found: Message = (await until_state(talk, "vault", "authRequired"))["state"]
    return found


async def test_a_server_by_address_is_spoken_with(connect: Connect, project: Project, opened: Open) -> None:
    vault = await opened(None)
    project.declare(vault={"type": "http", "url": vault.url, "headers": {"X-Team": "a"}})
    talk = await project.session(await connect("alice"))
    await ready(talk, "vault")
    assert (await called(talk, "vault whoami"))["success"] is True


async def test_a_server_that_goes_away_is_in_error(connect: Connect, project: Project, opened: Open) -> None:
    project.declare(vault={"url": "http://127.0.0.1:9/mcp"})
    talk = await project.session(await connect("alice"))
    server = await until(talk, "vault")
    await accepted(talk.client, talk.session, start(server["id"]))
    assert (await until_state(talk, "vault", "error"))["state"]["error"]["errorType"] == "startFailed"


async def test_an_address_that_is_not_public_is_not_reached(connect: Connect, project: Project, opened: Open) -> None:
    vault = await opened(None)
    project.declare(vault={"url": f"http://localhost:{vault.port}/mcp"})
    talk = await project.session(await connect("alice"))
    server = await until(talk, "vault")
    await accepted(talk.client, talk.session, start(server["id"]))
    await until_state(talk, "vault", "error")
    assert vault.seen == []


async def test_a_token_is_asked_for_and_the_server_goes_on_with_it(
    connect: Connect, project: Project, opened: Open
) -> None:
    vault = await opened({ALICES: {"read"}})
    project.declare(vault={"url": vault.url})
    talk = await project.session(await connect("alice"))
    state = await locked(talk)
    assert (state["reason"], state["requiredScopes"]) == ("required", ["read"])
    assert state["resource"]["resource"] == vault.url
    assert state["resource"]["authorization_servers"] == ["https://login.example"]
    await authenticate(talk.client, vault.url, ALICES)
    await until_state(talk, "vault", "ready")
    assert (await called(talk, "vault whoami"))["content"][0]["text"] == ALICES


async def test_only_who_sees_the_session_may_give_a_token(connect: Connect, project: Project, opened: Open) -> None:
    vault = await opened({ALICES: {"read"}})
    project.declare(vault={"url": vault.url})
    alice = await connect("alice")
    given = {"resource": vault.url, "token": ALICES}
    assert (await alice.refused("authenticate", given)).code == -32602
    talk = await project.session(alice, config={"visibility": "private"})
    await locked(talk)
    for user in ("bob", "carol"):
        assert (await (await connect(user)).refused("authenticate", given)).code == -32602
    assert (await alice.refused("authenticate", {**given, "resource": f"{vault.url}/"})).code == -32602
    await authenticate(alice, vault.url, ALICES)
    await until_state(talk, "vault", "ready")
    await alice.request("disposeSession", {"channel": talk.session})
    assert (await alice.refused("authenticate", given)).code == -32602


async def test_everybody_calls_with_their_own_token(connect: Connect, project: Project, opened: Open) -> None:
    vault = await opened({ALICES: {"read"}, BOBS: {"read"}})
    project.declare(vault={"url": vault.url})
    talk = await project.session(await connect("alice"))
    await locked(talk)
    await authenticate(talk.client, vault.url, ALICES)
    channel = (await until_state(talk, "vault", "ready"))["channel"]
    bobs = await talk.joined_by(await connect("bob"))
    refused = await bobs.client.refused("tools/call", {"channel": channel, "name": "whoami"})
    assert (refused.code, refused.data["resources"][0]["resource"]) == (-32007, vault.url)

    turn_id = await bobs.start("mcp vault whoami")
    await approve(bobs, turn_id)
    asked = await bobs.action("chat/toolCallAuthRequired")
    assert asked["auth"]["resource"]["resource"] == vault.url
    (needed,) = bobs.session_state["inputNeeded"]
    assert (needed["kind"], needed["toolCall"]["status"]) == ("toolAuthentication", "auth-required")
    await authenticate(bobs.client, vault.url, BOBS)
    await bobs.action("chat/toolCallAuthResolved")
    await bobs.ended(turn_id)
    assert call_in(bobs.turn(turn_id))["content"][0]["text"] == BOBS
    assert "inputNeeded" not in bobs.session_state

    assert (await called(talk, "vault whoami"))["content"][0]["text"] == ALICES
    answer = await bobs.client.request("tools/call", {"channel": channel, "name": "whoami"})
    assert answer["content"][0]["text"] == BOBS


async def test_more_scopes_are_asked_for_in_the_middle_of_a_call(
    connect: Connect, project: Project, opened: Open
) -> None:
    vault = await opened({ALICES: {"read"}, "admins-token": {"read", "admin"}})
    project.declare(vault={"url": vault.url})
    talk = await project.session(await connect("alice"))
    await locked(talk)
    await authenticate(talk.client, vault.url, ALICES)
    await until_state(talk, "vault", "ready")
    turn_id = await talk.start("mcp vault secret")
    await approve(talk, turn_id)
    auth = (await talk.action("chat/toolCallAuthRequired"))["auth"]
    assert (auth["reason"], auth["requiredScopes"]) == ("insufficientScope", ["read", "admin"])
    assert auth["description"] == "Admins only"
    await authenticate(talk.client, vault.url, "admins-token")
    await talk.ended(turn_id)
    assert call_in(talk.turn(turn_id))["content"][0]["text"] == "the safe is open"


async def test_a_token_that_has_ended_is_asked_for_again(connect: Connect, project: Project, opened: Open) -> None:
    vault = await opened({ALICES: {"read"}})
    project.declare(vault={"url": vault.url})
    talk = await project.session(await connect("alice"))
    await locked(talk)
    await authenticate(talk.client, vault.url, ALICES)
    await until_state(talk, "vault", "ready")
    vault.tokens = {"newer-token": {"read"}}
    turn_id = await talk.start("mcp vault whoami")
    await approve(talk, turn_id)
    assert (await talk.action("chat/toolCallAuthRequired"))["auth"]["reason"] == "expired"
    await authenticate(talk.client, vault.url, "newer-token")
    await talk.ended(turn_id)
    assert call_in(talk.turn(turn_id))["content"][0]["text"] == "newer-token"


async def test_a_call_that_waits_for_a_token_may_be_given_up(connect: Connect, project: Project, opened: Open) -> None:
    vault = await opened({ALICES: {"read"}})
    project.declare(vault={"url": vault.url})
    talk = await project.session(await connect("alice"))
    await until(talk, "vault")
    turn_id = await talk.start("mcp vault whoami")
    asked = await approve(talk, turn_id)
    await talk.action("chat/toolCallAuthRequired")
    result = {"success": False, "pastTenseMessage": "Not now", "error": {"message": "not now", "code": "cancelled"}}
    ended = {"turnId": turn_id, "toolCallId": asked["toolCallId"], "result": result}
    await accepted(talk.client, talk.chat, {"type": "chat/toolCallComplete", **ended})
    assert (await talk.ended(turn_id))["type"] == "chat/turnComplete"
    assert "inputNeeded" not in talk.session_state
    server = await until_state(talk, "vault", "authRequired")
    await accepted(talk.client, talk.session, stop(server["id"]))
    await until_state(talk, "vault", "stopped")


async def test_a_server_gets_no_token_that_is_for_another(connect: Connect, project: Project, opened: Open) -> None:
    honest = await opened({ALICES: {"read"}})
    project.declare(vault={"url": honest.url})
    talk = await project.session(await connect("alice"))
    await locked(talk)
    await authenticate(talk.client, honest.url, ALICES)
    await until_state(talk, "vault", "ready")
    thief = await opened({}, resource=honest.url)
    project.declare(thief={"url": thief.url})
    server = await until(talk, "thief")
    await accepted(talk.client, talk.session, start(server["id"]))
    failed = await until_state(talk, "thief", "error")
    assert "not its own" in failed["state"]["error"]["message"]
    assert set(thief.seen) == {""}
