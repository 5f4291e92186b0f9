"""Who sees a session within a tenant?"""

from __future__ import annotations

from tests.client import ROOT, Client
from tests.conftest import Connect
from tests.interaction.conversation import BUSY, Talk, accepted, begin, new_session, refusal, turn_started
from tests.interaction.requirements import covers


def heard_of(client: Client, session: str) -> list[str]:
    """The notifications about a session."""
    told = (one for one in client.notifications if session in str(one["params"]))
    return [one["method"] for one in told]


@covers("who.private")
async def test_a_private_session_is_there_for_its_owner_alone(connect: Connect) -> None:
    bob = await connect("bob", ROOT)
    talk = await begin(await connect("alice", ROOT), config={"visibility": "private"})
    await talk.say("say secret")
    shared = await begin(talk.client)
    await bob.notification("root/sessionAdded")
    for uri, code in ((talk.session, -32001), (talk.chat, -32008)):
        error = await bob.refused("subscribe", {"channel": uri})
        missing = await bob.refused("subscribe", {"channel": new_session() if code == -32001 else "ahp-chat:/none"})
        assert (error.code, str(error)) == (code, str(missing))
    for method, uri in (("disposeSession", talk.session), ("disposeChat", talk.chat), ("fetchTurns", talk.chat)):
        assert (await bob.refused(method, {"channel": uri})).code in (-32001, -32008)
    fork = {"session": talk.session, "turnId": talk.chat_state["turns"][0]["id"]}
    assert (await bob.refused("createSession", {"channel": new_session(), "fork": fork})).code == -32001
    await bob.dispatch(talk.chat, turn_started("say intruder"))
    await bob.dispatch(talk.session, {"type": "session/titleChanged", "title": "Intruder"})
    await accepted(bob, ROOT, {"type": "root/configChanged", "config": {}}) if has_config(bob) else await bob.fence()
    listed = [one["resource"] for one in (await bob.request("listSessions"))["items"]]
    assert (talk.session in listed, shared.session in listed) == (False, True)
    assert heard_of(bob, talk.session) == []
    assert (await talk.client.subscribe(talk.session))["state"]["title"] != "Intruder"
    assert len(talk.chat_state["turns"]) == 1
    assert talk.session in [one["resource"] for one in (await talk.client.request("listSessions"))["items"]]


def has_config(client: Client) -> bool:
    """Whether the root can be configured."""
    return "config" in client.frames[0]["result"]["snapshots"][0]["state"]


@covers("who.private", "root.notices")
async def test_a_session_can_leave_and_return_into_sight(talk: Talk, connect: Connect) -> None:
    bob = await talk.joined_by(await connect("bob"))
    await bob.client.subscribe(ROOT)
    hide = {"type": "session/configChanged", "config": {"visibility": "private"}}
    assert await refusal(bob.client, talk.session, hide)
    await accepted(talk.client, talk.session, hide)
    await bob.client.notification("root/sessionRemoved", session=talk.session)
    since = len(bob.client.envelopes)
    turn_id = await talk.start(BUSY)
    await talk.cancel(turn_id)
    assert (await bob.client.refused("subscribe", {"channel": talk.chat})).code == -32008
    assert [one for one in bob.client.envelopes[since:] if one["channel"] in (talk.session, talk.chat)] == []
    show = {"type": "session/configChanged", "config": {"visibility": "tenant"}}
    await accepted(talk.client, talk.session, show)
    await bob.client.until(lambda: heard_of(bob.client, talk.session)[-1] == "root/sessionAdded", "its return")
    assert (await bob.client.subscribe(talk.chat))["state"]["turns"][0]["id"] == turn_id


@covers("sessions.mutable", "who.private")
async def test_others_act_in_a_session_that_they_see(talk: Talk, connect: Connect) -> None:
    bob = await talk.joined_by(await connect("bob"))
    same = {"type": "session/configChanged", "config": {"visibility": "tenant"}}
    await accepted(bob.client, talk.session, same)
    assert (await bob.say("say from bob"))["state"] == "complete"
    await bob.client.request("disposeSession", {"channel": talk.session})
    assert (await talk.client.refused("subscribe", {"channel": talk.session})).code == -32001
