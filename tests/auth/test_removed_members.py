"""What becomes of the sockets, claims and watches of somebody who may not be here any more, in all processes?"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable
from typing import Any

import psycopg
import pytest

from tests.client import ROOT, Client, Message
from tests.conftest import Connect
from tests.interaction.client_tools import active
from tests.interaction.conversation import accepted, begin, refusal, turn_started
from tests.service import RunningService

WITHIN_S = 15.0
Change = Callable[[str], Any]

_BOBS = "(SELECT id FROM auth_user WHERE username = 'bob')"
REMOVED = f"DELETE FROM auth_app_membership WHERE user_id = {_BOBS}"
VIEWER = f"UPDATE auth_app_membership SET role = 'viewer' WHERE user_id = {_BOBS}"
DISABLED = "UPDATE auth_user SET is_active = false WHERE username = 'bob'"
CLOSED = "UPDATE auth_app_tenant SET is_active = false WHERE slug = 'demo'"
AS_BEFORE = (
    "UPDATE auth_user SET is_active = true WHERE username = 'bob'",
    "UPDATE auth_app_tenant SET is_active = true WHERE slug = 'demo'",
    f"INSERT INTO auth_app_membership (tenant_id, user_id, role) SELECT t.id, {_BOBS}, 'member' FROM auth_app_tenant t"
    " WHERE t.slug = 'demo' ON CONFLICT (tenant_id, user_id) DO UPDATE SET role = 'member'",
)


@pytest.fixture
async def change(service_database: str) -> AsyncIterator[Change]:
    """Changes what bob is, until the test ends."""

    def run(*statements: str) -> None:
        with psycopg.connect(service_database, autocommit=True) as database:
            for statement in statements:
                database.execute(statement)

    async def change(statement: str) -> None:
        await asyncio.to_thread(run, statement)

    yield change
    await asyncio.to_thread(run, *AS_BEFORE)


@pytest.mark.parametrize("statement", [REMOVED, DISABLED, CLOSED])
async def test_whoever_has_no_rights_left_is_closed_with_4403(connect: Connect, change: Change, statement: str) -> None:
    bob, again = await connect("bob", ROOT), await connect("bob")
    await change(statement)
    assert (await bob.until_closed(WITHIN_S))[0] == 4403
    assert (await again.until_closed(WITHIN_S))[0] == 4403


async def test_whose_token_has_ended_is_closed_with_4401(
    service: RunningService, connect: Connect, change: Change
) -> None:
    other = await connect("bob")
    token = await asyncio.to_thread(service.token, "demo", "bob", "--ttl", "300")
    bob = await Client.open(service.socket(), token)
    await bob.initialize()
    await change(
        "UPDATE oauth2_provider_accesstoken SET expires = now() WHERE id ="
        f" (SELECT max(id) FROM oauth2_provider_accesstoken WHERE user_id = {_BOBS})"
    )
    assert (await bob.until_closed(WITHIN_S))[0] == 4401
    await other.fence()


async def refused_soon(client: Client, session: str) -> None:
    """What somebody may is looked up once a second, for each socket on its own."""
    async with asyncio.timeout(WITHIN_S):
        while True:
            title = {"type": "session/titleChanged", "title": "Not by a viewer"}
            if "rejectionReason" in await client.echo(await client.dispatch(session, title)):
                return


async def test_whoever_is_made_a_viewer_still_looks_and_lets_go_of_everything(connect: Connect, change: Change) -> None:
    talk = await begin(await connect("alice", ROOT))
    bob = await connect("bob", ROOT, talk.session, talk.chat)
    await accepted(bob, talk.session, active(bob))
    terminal = f"ahp-terminal:/{uuid.uuid4()}"
    await bob.request("createTerminal", {"channel": terminal, "claim": {"kind": "client", "clientId": bob.client_id}})
    await talk.client.subscribe(terminal)
    listed = len(talk.client.envelopes)
    await change(VIEWER)
    await talk.client.action(talk.session, "session/activeClientRemoved", clientId=bob.client_id)

    def gone(envelope: Message) -> bool:
        listed = envelope["action"].get("terminals")
        return listed is not None and all(each["resource"] != terminal for each in listed)

    await talk.client.until(lambda: next(filter(gone, talk.client.envelopes[listed:]), None), "the list without it")
    await refused_soon(bob, talk.session)
    assert await refusal(bob, talk.chat, turn_started("say no"))
    assert (
        await bob.refused("createTerminal", {"channel": f"{terminal}2", "claim": {"kind": "client", "clientId": "x"}})
    ).code == -32009
    await accepted(talk.client, talk.session, {"type": "session/titleChanged", "title": "Still seen"})
    await bob.action(talk.session, "session/titleChanged", title="Still seen")


async def test_whoever_is_shut_out_of_a_session_is_active_there_no_longer(connect: Connect) -> None:
    talk = await begin(await connect("alice"))
    bob = await connect("bob", ROOT, talk.session)
    await accepted(bob, talk.session, active(bob))
    await accepted(talk.client, talk.session, {"type": "session/configChanged", "config": {"visibility": "private"}})
    await bob.notification("root/sessionRemoved", session=talk.session)
    await talk.client.action(talk.session, "session/activeClientRemoved", clientId=bob.client_id)
    again = await connect("bob", initialize=False, client_id=bob.client_id)
    reply = await again.reconnect(1, talk.session, talk.chat)
    assert {*reply.get("missing", [talk.session, talk.chat])} == {talk.session, talk.chat}
    assert not [one for one in reply.get("snapshots", []) if one["resource"] in (talk.session, talk.chat)]


async def test_every_process_closes_the_sockets_of_a_removed_member(
    cluster: RunningService, connect_cluster: Connect
) -> None:
    first, second = cluster.web_ports()
    bobs = [await connect_cluster("bob", ROOT, port=port) for port in (first, second)]
    talk = await begin(await connect_cluster("alice", ROOT, port=first))
    await bobs[1].subscribe(talk.session)
    await accepted(bobs[1], talk.session, active(bobs[1]))
    code = (
        "from auth_app.models import Membership; from ahp_platform.tenancy import across_tenants\n"
        "with across_tenants(): Membership.objects.filter(user__username='bob').delete()\nprint('ok')"
    )
    await asyncio.to_thread(cluster.manage, "shell", "--no-imports", "-c", code)
    assert [(await bob.until_closed(WITHIN_S))[0] for bob in bobs] == [4403, 4403]
    await talk.client.action(talk.session, "session/activeClientRemoved", clientId=bobs[1].client_id)
