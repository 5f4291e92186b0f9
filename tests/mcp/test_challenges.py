"""Is a refusal for want of a token understood, and nothing else taken for one?"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from ahp_platform.mcp.challenges import Challenge, challenge_of, requirement_of
from ahp_platform.mcp.failures import McpFailed
from ahp_platform.mcp.http import Address, Reach, _is_public

SERVER = "https://mcp.example/team/mcp"
REQUIRED = Challenge("required", None, (), "")


def test_the_reason_comes_from_the_header() -> None:
    header = 'Bearer error="insufficient_scope", scope="a b", resource_metadata="https://mcp.example/m"'
    assert challenge_of(403, header, had_token=True) == Challenge(
        "insufficientScope", "https://mcp.example/m", ("a", "b"), ""
    )
    assert challenge_of(401, 'Bearer error="invalid_token"', had_token=True) == Challenge("expired", None, (), "")
    assert challenge_of(401, 'Bearer error="invalid_token"', had_token=False) == Challenge("required", None, (), "")
    assert challenge_of(401, "", had_token=False) == Challenge("required", None, (), "")


@pytest.mark.parametrize(("status", "header"), [(403, ""), (403, "Bearer"), (200, "Bearer"), (500, "")])
def test_other_answers_are_no_challenge(status: int, header: str) -> None:
    assert challenge_of(status, header, had_token=False) is None


async def required(document: Any, challenge: Challenge = REQUIRED) -> dict[str, Any]:
    async def fetch(url: str) -> object:
        return document

    return await requirement_of(challenge, SERVER, fetch)


async def test_the_resource_must_hold_the_server() -> None:
    good = {"resource": "https://mcp.example/team", "authorization_servers": ["https://login.example"]}
    assert (await required(good))["resource"]["resource"] == "https://mcp.example/team"
    for other in (
        "https://api.example",
        "https://mcp.example/other",
        "http://mcp.example/team",
        "https://mcp.example:8/team",
    ):
        with pytest.raises(McpFailed, match="not its own"):
            await required({"resource": other})


async def test_metadata_is_taken_as_far_as_it_has_the_form_of_some() -> None:
    odd = {
        "resource": SERVER,
        "authorization_servers": "x",
        "scopes_supported": ["a", 5],
        "jwks_uri": "http://10.0.0.1/",
    }
    assert (await required({**odd, "resource_name": 7}))["resource"] == {"resource": SERVER, "required": True}
    nothings: list[Any] = [None, [], {"resource": 5}, "text"]
    for nothing in nothings:
        with pytest.raises(McpFailed, match="does not say"):
            await required(nothing)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.1.2.3",
        "192.168.0.1",
        "169.254.169.254",
        "0.0.0.0",
        "::1",
        "fe80::1%eth0",
        "::ffff:10.0.0.1",
        "224.0.0.1",
        "fd00::1",
    ],
)
def test_addresses_of_our_own_network_are_not_public(address: str) -> None:
    assert not _is_public(address)


def test_addresses_of_the_internet_are_public() -> None:
    assert _is_public("93.184.216.34")
    assert _is_public("2606:2800:220:1::1")


async def test_nothing_is_connected_to_that_is_not_public() -> None:
    connected = asyncio.Event()
    server = await asyncio.start_server(lambda reader, writer: connected.set(), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    for host in ("127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "0"):
        address = Address(f"http://{host}:{port}/mcp", {}, None, Reach(frozenset()))
        with pytest.raises(McpFailed):
            await address.fetch_json(f"http://{host}:{port}/mcp")
    assert not connected.is_set()
    server.close()


def test_a_token_is_not_sent_in_the_clear() -> None:
    with pytest.raises(McpFailed, match="https"):
        Address("http://mcp.example/mcp", {}, "secret", Reach(frozenset()))
    Address("http://127.0.0.1:5/mcp", {}, "secret", Reach({"127.0.0.1:*"}))
    Address("https://mcp.example/mcp", {}, "secret", Reach(frozenset()))


async def test_without_a_network_nothing_public_is_connected_to() -> None:
    address = Address("https://93.184.216.34/mcp", {}, None, Reach(frozenset(), public=False))
    with pytest.raises(McpFailed):
        await address.fetch_json("https://93.184.216.34/mcp")
