"""Can what a client serves be read by others of its tenant, and by nobody else?"""

from __future__ import annotations

from typing import Any

import pytest

from tests.client import Message, RpcError
from tests.conftest import Connect

ANSWER = {"data": "from the client", "encoding": "utf-8"}


async def test_a_clients_resource_is_read_from_the_client(connect: Connect) -> None:
    alice, bob = await connect("alice"), await connect("bob")
    asked: list[Message] = []

    def serve(method: str, params: Message) -> Any:
        asked.append({"method": method, **params})
        return ANSWER

    alice.serve = serve
    uri = f"virtual://{alice.client_id}/plugin/read%20me.md"
    assert await bob.request("resourceRead", {"uri": uri, "encoding": "utf-8"}) == ANSWER
    assert await alice.request("resourceRead", {"uri": uri}) == ANSWER
    assert asked[0] == {"method": "resourceRead", "channel": "ahp-root://", "uri": uri, "encoding": "utf-8"}
    assert (await bob.refused("resourceWrite", {"uri": uri, "data": "", "encoding": "utf-8"})).code == -32009
    assert len(asked) == 2


@pytest.mark.parametrize(("code", "told"), [(-32008, -32008), (-32009, -32009), (-32601, -32008), (-1, -32603)])
async def test_a_clients_refusal_keeps_its_meaning(connect: Connect, code: int, told: int) -> None:
    client = await connect()

    def serve(method: str, params: Message) -> Any:
        raise RpcError({"code": code, "message": "no"})

    client.serve = serve
    assert (await client.refused("resourceRead", {"uri": f"virtual://{client.client_id}/x"})).code == told


async def test_an_answer_that_is_none_is_not_passed_on(connect: Connect) -> None:
    client = await connect()
    client.serve = lambda method, params: {"data": 5}
    assert (await client.refused("resourceRead", {"uri": f"virtual://{client.client_id}/x"})).code == -32603


async def test_another_tenants_client_is_as_missing_as_one_that_never_was(connect: Connect) -> None:
    alice, carol = await connect("alice"), await connect("carol")
    alice.serve = lambda method, params: ANSWER
    refusals = [
        await carol.refused("resourceRead", {"uri": f"virtual://{client_id}/x"})
        for client_id in (alice.client_id, "nobody")
    ]
    assert [(one.code, str(one)) for one in refusals] == [(-32008, "-32008 The client did not answer")] * 2
    assert (await carol.refused("resourceRead", {"uri": "virtual:///x"})).code == -32602
