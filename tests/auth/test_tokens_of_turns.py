"""With whose token does a turn act in a session that several people share?"""

from __future__ import annotations

import asyncio

import psycopg
import pytest

from tests.client import ROOT, Client
from tests.conftest import Connect
from tests.interaction.conversation import BUSY, Talk, begin, text_of, user
from tests.interaction.mirror import Mirror
from tests.service import RunningService


async def authenticated(service: RunningService, client: Client, name: str) -> str:
    """Give the protected practice agent a token of one's own: the resource."""
    agents = Mirror().take(client.frames).states[ROOT]["agents"]
    agent = next(one for one in agents if one["provider"] == "demo-protected")
    resource = str(agent["protectedResources"][0]["resource"])
    token = await asyncio.to_thread(service.token, "demo", name, "--resource", resource)
    assert await client.request("authenticate", {"resource": resource, "token": token}) == {}
    return resource


@pytest.fixture
async def nobody_has_any(service_database: str) -> None:
    """What other tests have left is gone."""

    def forget() -> None:
        with psycopg.connect(service_database, autocommit=True) as database:
            database.execute("DELETE FROM auth_app_resourcegrant")

    await asyncio.to_thread(forget)


async def shared(service: RunningService, connect: Connect) -> tuple[Talk, Talk]:
    """A session of alice's, who has a token, as she and as bob have it."""
    alice, bob = await connect("alice", ROOT), await connect("bob", ROOT)
    await authenticated(service, alice, "alice")
    talk = await begin(alice, provider="demo-protected")
    return talk, await talk.joined_by(bob)


async def fails(talk: Talk, text: str) -> None:
    ending = await talk.ended(await talk.start(text))
    assert (ending["type"], ending["error"]["errorType"]) == ("chat/error", "authRequired")


async def test_each_ones_turns_use_their_own_token(
    service: RunningService, connect: Connect, nobody_has_any: None
) -> None:
    alices, bobs = await shared(service, connect)
    assert text_of(await alices.say("say mine")) == "mine"
    await fails(bobs, "say not with hers")
    await authenticated(service, bobs.client, "bob")
    assert text_of(await bobs.say("say his")) == "his"


async def test_a_queued_turn_uses_the_token_of_who_queued_it(
    service: RunningService, connect: Connect, nobody_has_any: None
) -> None:
    alices, bobs = await shared(service, connect)
    turn = await alices.start(BUSY)
    queued = {"type": "chat/pendingMessageSet", "kind": "queued", "id": "his", "message": user("say his")}
    await bobs.client.dispatch(bobs.chat, queued)
    await bobs.action("chat/pendingMessageSet", id="his")
    # It is alice's doing that it starts now.
    await alices.cancel(turn)
    started = await bobs.action("chat/turnStarted", queuedMessageId="his")
    ending = await bobs.ended(started["turnId"])
    assert (ending["type"], ending["error"]["errorType"]) == ("chat/error", "authRequired")


async def test_one_persons_token_ends_without_anothers(
    service: RunningService, connect: Connect, nobody_has_any: None, service_database: str
) -> None:
    alices, bobs = await shared(service, connect)
    await authenticated(service, bobs.client, "bob")
    await bobs.say("say his")

    def expire() -> None:
        with psycopg.connect(service_database, autocommit=True) as database:
            database.execute(
                "UPDATE auth_app_resourcegrant SET expires_at = now() WHERE user_id ="
                " (SELECT id FROM auth_user WHERE username = 'bob')"
            )

    await asyncio.to_thread(expire)
    await fails(bobs, "say no longer")
    assert text_of(await alices.say("say still mine")) == "still mine"
    assert not [one for one in alices.client.notifications if one["method"] == "auth/required"]
