"""Who sees a private session that is shared with some people by name?"""

from __future__ import annotations

from typing import Any

from tests.client import ROOT, Client
from tests.conftest import Connect
from tests.interaction.conversation import accepted, begin, refusal

PRIVATE = {"visibility": "private"}


def share(*names: str) -> dict[str, Any]:
    return {"type": "session/configChanged", "config": {"members": list(names)}}


async def sees(client: Client, session: str) -> bool:
    return session in [one["resource"] for one in (await client.request("listSessions"))["items"]]


async def test_a_session_is_born_shared_with_those_it_names(connect: Connect) -> None:
    bob, vera = await connect("bob", ROOT), await connect("vera", ROOT)
    talk = await begin(await connect("alice", ROOT), config={**PRIVATE, "members": ["bob"]})
    await bob.notification("root/sessionAdded")
    assert (await bob.subscribe(talk.session))["state"]["config"]["values"]["members"] == ["bob"]
    assert (await vera.refused("subscribe", {"channel": talk.session})).code == -32001
    assert (await sees(bob, talk.session), await sees(vera, talk.session)) == (True, False)


async def test_the_owner_shares_and_unshares_and_nobody_else_is_told(connect: Connect) -> None:
    bob, vera = await connect("bob", ROOT), await connect("vera", ROOT)
    talk = await begin(await connect("alice", ROOT), config=PRIVATE)
    await accepted(talk.client, talk.session, share("bob"))
    await bob.notification("root/sessionAdded")
    await bob.subscribe(talk.session)
    assert await refusal(bob, talk.session, share("bob", "vera"))
    await accepted(talk.client, talk.session, share())
    await bob.notification("root/sessionRemoved", session=talk.session)
    assert (await bob.refused("subscribe", {"channel": talk.session})).code == -32001
    assert [one for one in vera.notifications if talk.session in str(one)] == []
    own = [one["method"] for one in talk.client.notifications if one["params"].get("session") == talk.session]
    assert "root/sessionRemoved" not in own


async def test_a_shared_session_is_acted_in_by_those_it_is_shared_with(connect: Connect) -> None:
    bob = await connect("bob")
    talk = await begin(await connect("alice"), config={**PRIVATE, "members": ["bob"]})
    await bob.subscribe(talk.session)
    await accepted(bob, talk.session, {"type": "session/titleChanged", "title": "Ours"})


async def test_only_people_of_the_tenant_are_named(connect: Connect) -> None:
    alice = await connect("alice")
    for names in (["carol"], ["nobody"], [5], "bob", ["bob"] * 501):
        config = {**PRIVATE, "members": names}
        assert (await alice.refused("resolveSessionConfig", {"config": config})).code == -32602
    talk = await begin(alice, config=PRIVATE)
    for names in (["carol"], ["nobody\x00"], [5], ["bob"] * 501):
        change = {"type": "session/configChanged", "config": {"members": names}}
        assert await refusal(alice, talk.session, change)


async def test_names_are_completed_within_the_tenant(connect: Connect) -> None:
    asked = {"property": "members", "query": "O"}
    alice, carol = await connect("alice"), await connect("carol")
    assert [one["value"] for one in (await alice.request("sessionConfigCompletions", asked))["items"]] == ["bob"]
    assert [one["value"] for one in (await carol.request("sessionConfigCompletions", asked))["items"]] == ["carol"]
