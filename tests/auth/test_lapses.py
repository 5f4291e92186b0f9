"""Do a user's clients hear of it when a token for a protected resource ends?"""

from __future__ import annotations

import asyncio

import pytest

from tests.client import ROOT, Client, RpcError
from tests.conftest import Connect
from tests.interaction.conversation import new_session
from tests.service import RunningService


def protected_resource(client: Client) -> str:
    agents = client.frames[0]["result"]["snapshots"][0]["state"]["agents"]
    found = next(agent for agent in agents if agent["provider"] == "demo-protected")
    return str(found["protectedResources"][0]["resource"])


async def test_an_expired_token_is_told_to_its_user_alone_and_blocks_the_next_use(
    connect: Connect, service: RunningService
) -> None:
    alice, again, bob = await connect("alice", ROOT), await connect("alice", ROOT), await connect("bob", ROOT)
    resource = protected_resource(alice)
    token = await asyncio.to_thread(service.token, "demo", "alice", "--resource", resource, "--ttl", "6")
    assert await alice.request("authenticate", {"resource": resource, "token": token}) == {}
    for client in (alice, again):
        told = await client.notification("auth/required", within_s=12)
        assert (told["resource"], told["reason"]) == (resource, "expired")
    with pytest.raises(RpcError) as refused:
        await alice.request("createSession", {"channel": new_session(), "provider": "demo-protected"})
    assert refused.value.code == -32007
    await bob.fence()
    assert [one for one in bob.notifications if one["method"] == "auth/required"] == []
