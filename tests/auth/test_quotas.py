"""Is there an end to what a tenant and a user may use, and are they told where it is?"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import psycopg
import pytest

from tests.client import RpcError
from tests.conftest import Connect
from tests.interaction.conversation import BUSY, begin, new_session, refusal, turn_started

Limit = Callable[..., Any]

_SET = "INSERT INTO auth_app_quota (tenant_id, {name}) SELECT id, %s FROM auth_app_tenant WHERE slug = 'demo'"


@pytest.fixture
async def limit(service_database: str) -> AsyncIterator[Limit]:
    """Sets a quota of the tenant demo, until the test ends."""

    def run(statement: str, *params: object) -> Any:
        with psycopg.connect(service_database, autocommit=True) as database:
            done = database.execute(statement, params)
            return done.fetchall() if done.description else None

    async def limit(name: str, at: int | None, used: str = "") -> int:
        spent = 0
        if used:
            ((spent,),) = await asyncio.to_thread(run, used)
        await asyncio.to_thread(run, _SET.format(name=name), spent + (at or 0))
        return spent + (at or 0)

    yield limit
    await asyncio.to_thread(run, "DELETE FROM auth_app_quota")


async def test_a_session_too_many_is_refused_with_the_quota(connect: Connect, limit: Limit) -> None:
    alice, bob = await connect("alice"), await connect("bob")
    top = await limit("sessions_per_user", 1, "SELECT count(*) FROM sessions_app_session s JOIN auth_user u "
                      "ON u.id = s.owner_id WHERE u.username = 'alice'")  # fmt: skip
    await begin(alice)
    error = await alice.refused("createSession", {"channel": new_session(), "provider": "demo"})
    assert error.code == -32600
    assert error.data == {"quota": {"name": "sessions", "per": "user", "limit": top, "used": top}}
    await begin(bob)


def running_turns(database: str) -> int:
    """Turns that run in Alice's tenant now: other tests leave some that wait for an answer."""
    with psycopg.connect(database) as connection:
        row = connection.execute(
            "SELECT count(*) FROM agents_turn t JOIN auth_app_tenant o ON o.id = t.tenant_id"
            " WHERE o.slug = 'demo' AND t.state IN ('waiting', 'running')"
        ).fetchone()
    assert row is not None
    return int(row[0])


async def test_a_turn_too_many_is_refused_with_a_reason_and_the_next_one_runs(
    connect: Connect, limit: Limit, service_database: str
) -> None:
    alice = await connect("alice")
    first, second = await begin(alice), await begin(alice)
    await limit("running_turns", await asyncio.to_thread(running_turns, service_database) + 1)
    turn = await first.start(BUSY)
    reason = await refusal(alice, second.chat, turn_started("say late"))
    assert "running turns" in str(reason)
    await first.cancel(turn)
    await second.say("say in time")


async def test_who_has_used_the_tokens_of_the_day_starts_no_turn(connect: Connect, limit: Limit) -> None:
    talk = await begin(await connect("alice"))
    await talk.say("usage 600 400")
    await limit("tokens_per_day_per_user", 1000)
    assert "tokens per day" in str(await refusal(talk.client, talk.chat, turn_started("say more")))


async def test_a_socket_too_many_is_not_introduced(connect: Connect, limit: Limit) -> None:
    alice = await connect("alice")
    await limit("sockets_per_user", 1)
    with pytest.raises(RpcError) as refused:
        await connect("alice")
    assert refused.value.code == -32600
    await alice.close()


async def test_an_operator_ends_a_socket(connect: Connect, service_database: str) -> None:
    vera = await connect("vera")

    def end() -> None:
        with psycopg.connect(service_database, autocommit=True) as database:
            database.execute("UPDATE auth_app_opensocket SET ending = true WHERE client_id = %s", (vera.client_id,))

    await asyncio.to_thread(end)
    assert (await vera.until_closed())[0] == 4403
