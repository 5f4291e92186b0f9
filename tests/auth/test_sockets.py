"""Does the door hold on a real socket, and does it close behind those who may not be in any more?"""

from __future__ import annotations

import asyncio
import json
import logging
import socket as sockets
from collections.abc import AsyncIterator
from typing import Any

import pytest
import uvicorn
from asgiref.sync import sync_to_async
from oauth2_provider.models import AccessToken
from pytest_django import Settings
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Subprotocol

from ahp_platform.eventlog.pool import close_pool
from ahp_platform.log_format import QuerylessFormatter
from tests.auth.oauth_clients import application, library

REVOKED_WITHIN_S = 2.0


@pytest.fixture(autouse=True)
def without_tls(installation: None, settings: Settings) -> None:
    settings.AHP_HTTPS = False
    settings.ALLOWED_HOSTS = ["127.0.0.1"]


@pytest.fixture(scope="module")
async def address(django_db_setup: None) -> AsyncIterator[str]:
    """Where the whole application is served, as `host:port`; its background work starts once in a process."""
    listening = sockets.create_server(("127.0.0.1", 0))
    config = uvicorn.Config("ahp_platform.asgi:application", ws="websockets-sansio", log_config=None)
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve(sockets=[listening]))
    while not server.started:
        await asyncio.sleep(0)
    yield f"127.0.0.1:{listening.getsockname()[1]}"
    server.should_exit = True
    await asyncio.wait_for(serving, 15)
    await close_pool()


async def status_of(url: str, **options: Any) -> int:
    """101 for a handshake that succeeds."""
    try:
        async with connect(url, **options):
            return 101
    except InvalidStatus as refused:
        return refused.response.status_code


async def ping(peer: ClientConnection) -> Any:
    await peer.send(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}))
    return json.loads(await asyncio.wait_for(peer.recv(), 5))


async def test_each_way_to_bring_a_token_opens_a_socket_that_answers(people: Any, address: str) -> None:
    token = await sync_to_async(people.token)()
    url = f"ws://{address}/ahp/demo"
    ways: list[tuple[str, dict[str, Any]]] = [
        (url, {"additional_headers": {"Authorization": f"Bearer {token}"}}),
        (url, {"subprotocols": [Subprotocol("ahp"), Subprotocol(f"ahp.bearer.{token}")]}),
        (f"{url}?tkn={token}", {"origin": "https://editor.example"}),
        (url, {"additional_headers": {"Cookie": await sync_to_async(people.cookie)()}, "origin": f"http://{address}"}),
    ]
    for to, options in ways:
        async with connect(to, **options) as peer:
            assert (await ping(peer))["id"] == 1
            assert peer.subprotocol == ("ahp" if "subprotocols" in options else None)


async def test_the_door_says_401_or_403_before_the_upgrade(people: Any, address: str) -> None:
    token, cookie = await sync_to_async(people.token)(), await sync_to_async(people.cookie)()
    demo, other, nowhere = (f"ws://{address}/ahp/{tenant}" for tenant in ("demo", "other", "nowhere"))
    foreign = {"additional_headers": {"Cookie": cookie}, "origin": "https://evil.example"}
    assert await status_of(demo) == 401
    assert await status_of(f"{demo}?tkn=nonsense") == 401
    assert await status_of(f"{other}?tkn={token}") == 403
    assert await status_of(f"{nowhere}?tkn={token}") == 403
    assert await status_of(demo, **foreign) == 403


async def test_whoever_is_refused_learns_where_to_get_a_token(people: Any, address: str) -> None:
    with pytest.raises(InvalidStatus) as refused:
        await connect(f"ws://{address}/ahp/demo")
    challenge = refused.value.response.headers["WWW-Authenticate"]
    assert challenge == 'Bearer resource_metadata="https://ahp.example/.well-known/oauth-protected-resource/ahp/demo"'


async def test_a_token_from_the_authorization_server_opens_the_socket_of_its_tenant(people: Any, address: str) -> None:
    bob = await sync_to_async(people.user)("bob")
    script = await sync_to_async(application)("client-credentials", public=False, user=bob, tenant="demo")
    client = library(script, f"http://{address}", scope="sessions:read")
    token = await asyncio.to_thread(client.fetch_token, f"http://{address}/o/token/", grant_type="client_credentials")
    async with connect(f"ws://{address}/ahp/demo?tkn={token['access_token']}") as peer:
        assert (await ping(peer))["id"] == 1
    assert await status_of(f"ws://{address}/ahp/other?tkn={token['access_token']}") == 403


async def test_a_revoked_token_closes_its_socket_within_two_seconds(people: Any, address: str) -> None:
    token = await sync_to_async(people.token)()
    async with connect(f"ws://{address}/ahp/demo?tkn={token}") as peer:
        await ping(peer)
        await AccessToken.objects.all().adelete()
        with pytest.raises(ConnectionClosed) as closed:
            await asyncio.wait_for(peer.recv(), REVOKED_WITHIN_S)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4401


async def test_a_token_in_the_url_reaches_no_log(people: Any, address: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    token = await sync_to_async(people.token)()
    async with connect(f"ws://{address}/ahp/demo?tkn={token}") as peer:
        await ping(peer)
    assert await status_of(f"ws://{address}/ahp/other?tkn={token}") == 403
    ours = next(
        handler for handler in logging.getLogger().handlers if isinstance(handler.formatter, QuerylessFormatter)
    )
    lines = "\n".join(ours.format(record) for record in caplog.records)
    assert "/ahp/demo" in lines
    assert token not in lines
