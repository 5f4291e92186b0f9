"""Who sees a terminal, who may use it, and with what does it end?"""

from __future__ import annotations

from typing import Any

from tests.client import ROOT, Client
from tests.conftest import Connect
from tests.interaction.conversation import begin
from tests.service import RunningService
from tests.terminals.conftest import Gone
from tests.terminals.shell import Shell


def of_session(session: str) -> dict[str, Any]:
    return {"kind": "session", "session": session}


def listed(client: Client) -> list[str]:
    """The terminals on the root channel, as the client was told last."""
    lists = [one["action"]["terminals"] for one in client.envelopes if one["action"]["type"] == "root/terminalsChanged"]
    return [each["resource"] for each in lists[-1]] if lists else []


async def test_two_people_see_one_terminal_and_the_holder_types(connect: Connect) -> None:
    alice, bob = await connect(), await connect("bob")
    mine = await Shell.opened(alice)
    his = mine.seen_by(bob)
    await bob.subscribe(mine.uri)
    assert "holds" in await his.refusal("input", data="id\r")
    assert "holds" in await his.refusal("resized", cols=10, rows=10)
    assert "holds" in await his.refusal("titleChanged", title="his")
    assert "holds" in await his.refusal("claimed", claim={"kind": "client", "clientId": bob.client_id})
    assert (await bob.refused("disposeTerminal", {"channel": mine.uri})).code == -32009
    await mine.type("echo for b''oth")
    await mine.shows("for both")
    await his.shows("for both")


async def test_the_holder_hands_it_on(connect: Connect) -> None:
    alice, bob = await connect(), await connect("bob")
    mine = await Shell.opened(alice)
    his = mine.seen_by(bob)
    await bob.subscribe(mine.uri)
    await mine.dispatch("claimed", claim={"kind": "client", "clientId": bob.client_id})
    await his.action("claimed")
    await his.type("echo b''ob")
    await his.shows("bob\r\n")
    assert "holds" in await mine.refusal("input", data="id\r")


async def test_a_sessions_terminal_is_used_by_its_members(connect: Connect) -> None:
    talk = await begin(await connect())
    bob, carl = await connect("bob"), await connect("bob")
    shell = await Shell.opened(talk.client, of_session(talk.session))
    his = shell.seen_by(bob)
    assert "holds" in await shell.seen_by(carl).refusal("input", data="id\r")
    await bob.subscribe(talk.session)
    await bob.subscribe(shell.uri)
    await his.type("pwd; echo h''is")
    await his.shows("his\r\n")
    assert "/workspaces/demo/sessions/" in his.text


async def test_a_private_sessions_terminal_is_nobody_elses(connect: Connect) -> None:
    bob = await connect("bob", ROOT)
    talk = await begin(await connect(), config={"visibility": "private"})
    shell = await Shell.opened(talk.client, of_session(talk.session))
    open_one = await Shell.opened(talk.client)
    await bob.until(lambda: open_one.uri in listed(bob), "the other terminal in the list")
    assert shell.uri not in listed(bob)
    assert (await bob.refused("subscribe", {"channel": shell.uri})).code == -32008
    assert (await bob.refused("disposeTerminal", {"channel": shell.uri})).code == -32008
    claim = {"kind": "session", "session": talk.session}
    assert (await bob.refused("createTerminal", {"channel": "ahp-terminal:/b", "claim": claim})).code == -32001
    assert "More people" in await open_one.refusal("claimed", claim=claim)


async def test_a_terminal_follows_its_session_out_of_sight_and_back(connect: Connect) -> None:
    bob = await connect("bob", ROOT)
    talk = await begin(await connect())
    shell = await Shell.opened(talk.client, of_session(talk.session))
    await bob.until(lambda: shell.uri in listed(bob), "the terminal in the list")
    for visibility, seen in (("private", False), ("tenant", True)):
        config = {"type": "session/configChanged", "config": {"visibility": visibility}}
        await talk.client.dispatch(talk.session, config)
        await bob.until(lambda seen=seen: (shell.uri in listed(bob)) is seen, f"the list after {visibility}")  # type: ignore[misc]


async def test_carol_cannot_tell_a_terminal_of_another_tenant_from_a_missing_one(connect: Connect) -> None:
    shell = await Shell.opened(await connect())
    carol = await connect("carol", ROOT)
    missing = await carol.refused("disposeTerminal", {"channel": "ahp-terminal:/missing"})
    theirs = await carol.refused("disposeTerminal", {"channel": shell.uri})
    assert (theirs.code, str(theirs)) == (missing.code, str(missing))
    assert listed(carol) == []


async def test_disposing_of_the_session_ends_its_terminals(connect: Connect, gone: Gone) -> None:
    talk = await begin(await connect())
    shell = await Shell.opened(talk.client, of_session(talk.session))
    await shell.type("(trap '' HUP TERM; sleep 70124.5) & setsid sleep 70124.5 & echo st''arted")
    await shell.shows("started")
    await talk.client.request("disposeSession", {"channel": talk.session})
    await gone("70124.5")
    assert (await talk.client.refused("subscribe", {"channel": shell.uri})).code == -32008


async def test_a_terminal_goes_with_the_membership_of_its_holder(connect: Connect, service: RunningService) -> None:
    alice = await connect("alice", ROOT)
    joins = (
        "from django.contrib.auth.models import User; from auth_app.models import Membership, Tenant;"
        "user = User.objects.create_user('dave'); tenant = Tenant.objects.get(slug='demo');"
        "Membership.objects.create(tenant=tenant, user=user); print(user)"
    )
    service.manage("shell", "-c", joins)
    shell = await Shell.opened(await connect("dave"))
    await alice.until(lambda: shell.uri in listed(alice), "the terminal in the list")
    leaves = "from auth_app.models import Membership; print(Membership.objects.filter(user__username='dave').delete())"
    service.manage("shell", "-c", leaves)
    await alice.until(lambda: shell.uri not in listed(alice), "the list without it")
