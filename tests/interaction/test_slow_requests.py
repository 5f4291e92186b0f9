"""Does a slow request hold anything up?"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import psycopg

from tests.conftest import Connect
from tests.interaction.conversation import BUSY, Talk, accepted, turn_started, user
from tests.interaction.requirements import covers


@asynccontextmanager
async def listing_is_slow(database: str) -> AsyncIterator[None]:
    """Nobody can read the table of sessions meanwhile."""
    async with await psycopg.AsyncConnection.connect(database) as connection, connection.transaction():
        await connection.execute("LOCK TABLE sessions_app_session IN ACCESS EXCLUSIVE MODE")
        yield


@covers("frames.beside", "chats.cancel")
async def test_ping_actions_and_unsubscribe_pass_a_slow_request(talk: Talk, service_database: str) -> None:
    client = talk.client
    async with listing_is_slow(service_database):
        listing = await client.start("listSessions", {})
        await client.fence()
        await accepted(client, talk.chat, {"type": "chat/draftChanged", "draft": user("still writing")})
        await client.notify("unsubscribe", {"channel": talk.session})
        snapshot = await client.subscribe(talk.chat)
        assert snapshot["state"]["draft"]["text"] == "still writing"
        assert not [frame for frame in client.frames if frame.get("id") == listing]
    assert (await client.reply(listing))["items"]


@covers("frames.beside")
async def test_a_socket_that_breaks_within_a_slow_request_leaves_nothing_behind(
    talk: Talk, connect: Connect, service_database: str
) -> None:
    leaving = await connect("bob")
    async with listing_is_slow(service_database):
        for _ in range(40):
            await leaving.start("listSessions", {})
        leaving.cut()
        await leaving.until_closed()
        await talk.client.fence()
    number = await talk.client.dispatch(talk.chat, turn_started(BUSY, "after"))
    await talk.client.echo(number)
    assert (await talk.client.request("listSessions", {}))["items"]
    await talk.cancel("after")
