"""Is there an end to what a tenant and a user may use, and are they told where it is?"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import psycopg
import pytest

from tests.client import ROOT, Client, Message, RpcError
from tests.conftest import Connect
from tests.interaction.conversation import BUSY, begin, new_chat, new_session, refusal, turn_started, user

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


def new_terminal(client: Client) -> Message:
    return {
        "channel": f"ahp-terminal:/{uuid.uuid4()}",
        "claim": {"kind": "client", "clientId": client.client_id},
    }


def open_terminals(name: str) -> str:
    return (
        "SELECT count(*) FROM terminals_app_terminal t JOIN auth_user u ON u.id = t.user_id"
        f" WHERE u.username = '{name}' AND t.state <> 'exited'"
    )


async def test_a_terminal_too_many_is_refused_until_one_is_closed(connect: Connect, limit: Limit) -> None:
    alice, bob = await connect("alice"), await connect("bob")
    top = await limit("terminals_per_user", 1, open_terminals("alice"))
    first, second = new_terminal(alice), new_terminal(alice)
    await alice.request("createTerminal", first)
    error = await alice.refused("createTerminal", second)
    assert (error.code, error.data) == (
        -32600, {"quota": {"name": "terminals", "per": "user", "limit": top, "used": top}}
    )  # fmt: skip
    theirs = new_terminal(bob)
    await bob.request("createTerminal", theirs)
    await alice.request("disposeTerminal", {"channel": first["channel"]})
    await alice.request("createTerminal", second)
    await alice.request("disposeTerminal", {"channel": second["channel"]})
    await bob.request("disposeTerminal", {"channel": theirs["channel"]})


async def test_a_chat_whose_first_turn_has_no_room_is_not_made(
    connect: Connect, limit: Limit, service_database: str
) -> None:
    talk = await begin(await connect("alice"))
    await limit("running_turns", await asyncio.to_thread(running_turns, service_database))
    asked = {"channel": talk.session, "chat": new_chat(), "initialMessage": user("say hello")}
    error = await talk.client.refused("createChat", asked)
    assert (error.code, error.data["quota"]["name"]) == (-32600, "running_turns")
    assert (await talk.client.refused("subscribe", {"channel": asked["chat"]})).code == -32008
    await talk.client.request("createChat", {"channel": talk.session, "chat": asked["chat"]})


async def test_a_queued_message_waits_until_there_is_room_for_its_turn(
    connect: Connect, limit: Limit, service_database: str
) -> None:
    alice = await connect("alice")
    first, second = await begin(alice), await begin(alice)
    turn = await first.start(BUSY)
    await limit("running_turns", await asyncio.to_thread(running_turns, service_database))
    queued = {"type": "chat/pendingMessageSet", "kind": "queued", "id": "later", "message": user("say later")}
    await alice.dispatch(second.chat, queued)
    await alice.action(second.chat, "chat/pendingMessageSet")
    await alice.fence()
    assert "activeTurn" not in second.chat_state
    assert await refusal(alice, second.chat, turn_started("say pushing in"))
    await first.cancel(turn)
    started = await second.action("chat/turnStarted", queuedMessageId="later")
    assert started["queuedMessageId"] == "later"
    await second.ended(started["turnId"])


def bytes_kept(folder: Path, database: str) -> int:
    """What Alice's tenant keeps: files in its directory, and contents."""
    with psycopg.connect(database) as connection:
        row = connection.execute(
            "SELECT coalesce(sum(size), 0) FROM changesets_app_content c JOIN auth_app_tenant t ON t.id = c.tenant_id"
            " WHERE t.slug = 'demo'"
        ).fetchone()
    assert row is not None
    return int(row[0]) + sum(path.lstat().st_size for path in folder.rglob("*") if not path.is_dir())


async def test_whoever_has_filled_the_space_writes_again_once_something_is_deleted(
    connect: Connect, limit: Limit, service_database: str
) -> None:
    alice = await connect("alice", initialize=False)
    root = (await alice.initialize())["defaultDirectory"]
    folder = f"{root}/{uuid.uuid4()}"
    await alice.request("resourceMkdir", {"uri": folder})
    kept = await asyncio.to_thread(bytes_kept, Path(unquote(urlsplit(root).path)), service_database)
    await limit("bytes_stored", kept + 50_000)

    def write(name: str, size: int) -> Message:
        return {"uri": f"{folder}/{name}", "data": "x" * size, "encoding": "utf-8"}

    await alice.request("resourceWrite", write("first", 40_000))
    error = await alice.refused("resourceWrite", write("second", 40_000))
    assert (error.code, error.data["quota"]["name"], error.data["quota"]["per"]) == (-32600, "bytes_stored", "tenant")
    # The sessions of other tests may write a little meanwhile.
    assert kept + 40_000 <= error.data["quota"]["used"] <= kept + 50_000
    assert (await alice.refused("resourceResolve", {"uri": f"{folder}/second"})).code == -32008
    await alice.request("resourceDelete", {"uri": f"{folder}/first"})
    await alice.request("resourceWrite", write("second", 40_000))
    await alice.request("resourceDelete", {"uri": folder, "recursive": True})


async def refused_within(client: Client, tries: int) -> RpcError | None:
    for _ in range(tries):
        try:
            await client.request("listSessions", {"limit": 1})
        except RpcError as error:
            return error
    return None


async def test_whoever_sends_too_many_messages_is_told_so_on_each_of_his_sockets(
    connect: Connect, limit: Limit, service_database: str
) -> None:
    vera, other = await connect("vera", ROOT), await connect("vera")
    await limit("messages_per_second_per_user", 2)
    error = await refused_within(vera, 20_000)
    assert error is not None
    assert (error.code, error.data["quota"]["name"]) == (-32600, "messages_per_second")
    assert error.data["quota"]["per"] == "user"
    assert (await other.refused("listSessions", {"limit": 1})).data["quota"]["limit"] == 2
    echo = await vera.echo(await vera.dispatch(ROOT, {"type": "root/configChanged", "config": {}}))
    assert "messages per second" in echo["rejectionReason"]
    await vera.fence()
    assert (await (await connect("bob")).request("listSessions", {"limit": 1}))["items"] is not None

    with psycopg.connect(service_database, autocommit=True) as database:
        database.execute("DELETE FROM auth_app_quota")
    # A process looks once a second; the tests that follow are not to meet the old limit.
    for _ in range(20_000):
        if await refused_within(vera, 50) is None:
            return
    raise AssertionError("the limit was lifted, and still held")


async def test_a_copy_that_does_not_fit_is_not_begun(connect: Connect, limit: Limit, service_database: str) -> None:
    alice = await connect("alice", initialize=False)
    root = (await alice.initialize())["defaultDirectory"]
    folder = f"{root}/{uuid.uuid4()}"
    for name in ("a", "b"):
        await alice.request("resourceMkdir", {"uri": f"{folder}/tree/{name}"})
        written = {"uri": f"{folder}/tree/{name}/f", "data": "x" * 40_000, "encoding": "utf-8"}
        await alice.request("resourceWrite", written)
    kept = await asyncio.to_thread(bytes_kept, Path(unquote(urlsplit(root).path)), service_database)
    await limit("bytes_stored", kept + 100_000)
    for source, target, fits in (("tree/a", "one", True), ("tree", "two", False), ("tree/a/f", "three", True)):
        copied = {"source": f"{folder}/{source}", "destination": f"{folder}/{target}"}
        if fits:
            await alice.request("resourceCopy", copied)
        else:
            error = await alice.refused("resourceCopy", copied)
            assert (error.code, error.data["quota"]["name"]) == (-32600, "bytes_stored")
    entries = (await alice.request("resourceList", {"uri": folder}))["entries"]
    assert [entry["name"] for entry in entries] == ["one", "three", "tree"]
    await alice.request("resourceDelete", {"uri": folder, "recursive": True})
