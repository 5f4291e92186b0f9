"""What becomes of a dispatched action?"""

from __future__ import annotations

from typing import Any

import pytest

from ahp_platform.protocol.channel import ACTIONS
from tests.client import ROOT, Message
from tests.conftest import Connect
from tests.interaction.conftest import Agrees
from tests.interaction.conversation import Talk, accepted, new_chat, new_session, refusal, state_of, turn_started, user
from tests.interaction.requirements import covers
from tests.interaction.samples import sample

# PROTOCOL.md section 5.
DISPATCHABLE = {
    "root": "configChanged",
    "session": "titleChanged isReadChanged isArchivedChanged configChanged activeClientSet activeClientRemoved "
    "workingDirectorySet workingDirectoryRemoved customizationToggled mcpServerStartRequested mcpServerStopRequested "
    "defaultChatChanged",
    "chat": "turnStarted turnCancelled toolCallConfirmed toolCallResultConfirmed toolCallComplete toolCallContentChanged "
    "pendingMessageSet pendingMessageRemoved queuedMessagesReordered draftChanged inputAnswerChanged inputCompleted "
    "truncated workingDirectorySet workingDirectoryRemoved",
    "terminal": "input resized claimed titleChanged cleared",
    "changeset": "filesReviewChanged",
    "annotations": "set updated removed entrySet entryRemoved",
}
OURS = sorted(kind for kind, spec in ACTIONS.items() if not spec.client_dispatchable)


@covers("actions.dispatchable")
def test_clients_may_dispatch_what_the_protocol_lists() -> None:
    listed = {f"{channel}/{name}" for channel, names in DISPATCHABLE.items() for name in names.split()}
    assert {kind for kind, spec in ACTIONS.items() if spec.client_dispatchable} == listed


@covers("actions.dispatchable", "actions.judged")
async def test_the_hosts_own_actions_are_refused_on_every_channel(talk: Talk, agrees: Agrees) -> None:
    await talk.say("say something to lose")
    await talk.client.subscribe(ROOT)
    before = [state_of(talk.client, uri) for uri in (ROOT, talk.session, talk.chat)]
    sent = [
        (await talk.client.dispatch(uri, action), action)
        for kind in OURS
        for uri in (ROOT, talk.session, talk.chat)
        for action in ({"type": kind}, sample(ACTIONS[kind].annotation))
    ]
    for number, action in sent:
        envelope = await talk.client.echo(number)
        assert "rejectionReason" in envelope, action
        assert envelope["action"] == action
    assert [state_of(talk.client, uri) for uri in (ROOT, talk.session, talk.chat)] == before
    await agrees(talk.client, ROOT, talk.session, talk.chat)


@covers("actions.judged", "actions.refused")
@pytest.mark.parametrize(
    "action",
    [
        {"type": "no/suchAction"},
        {"type": 5},
        {},
        {"type": "session/titleChanged"},
        {"type": "session/titleChanged", "title": 5},
        {"type": "session/activeClientSet", "activeClient": {"clientId": "me"}},
        {"type": "session/isReadChanged", "isRead": "yes"},
        {"type": "chat/draftChanged", "draft": user("on a session")},
        {"type": "chat/turnStarted", "turnId": "t", "message": {"text": "no origin"}},
        {"type": "session/titleChanged", "title": None},
    ],
)
async def test_a_bad_action_comes_back_to_its_sender_alone(talk: Talk, connect: Connect, action: Message) -> None:
    bob = await talk.joined_by(await connect("bob"))
    before = talk.session_state
    assert await refusal(talk.client, talk.session, action)
    assert talk.session_state == before
    await accepted(talk.client, talk.session, {"type": "session/titleChanged", "title": "Fine"})
    await bob.client.action(talk.session, "session/titleChanged")
    assert [one["action"]["type"] for one in bob.client.envelopes] == ["session/titleChanged"]


@covers("actions.refused")
async def test_a_refusal_takes_no_number(talk: Talk) -> None:
    first = await accepted(talk.client, talk.session, {"type": "session/titleChanged", "title": "One"})
    for _ in range(5):
        assert await refusal(talk.client, talk.session, {"type": "session/titleChanged"})
    second = await accepted(talk.client, talk.session, {"type": "session/titleChanged", "title": "Two"})
    mine = [one["serverSeq"] for one in talk.client.envelopes if first["serverSeq"] <= one["serverSeq"]]
    # Between the two titles there is the notice of the first at most.
    assert second["serverSeq"] - first["serverSeq"] <= 2
    assert mine == sorted(mine)


@covers("actions.echo")
async def test_everybody_gets_an_accepted_action_with_its_origin(talk: Talk, connect: Connect) -> None:
    bob = await talk.joined_by(await connect("bob"))
    action = {"type": "session/titleChanged", "title": "For all", "_meta": {"kept": [1, None, "x"]}}
    echo = await accepted(talk.client, talk.session, action)
    assert await bob.client.action(talk.session, "session/titleChanged") == echo
    assert echo["action"] == action
    assert echo["origin"]["clientId"] == talk.client.client_id
    turn_id = await talk.start("say something")
    assert "origin" not in await bob.client.action(talk.chat, "chat/turnComplete", turnId=turn_id)


@covers("actions.no-channel")
async def test_an_action_on_no_channel_is_ignored(talk: Talk) -> None:
    since = len(talk.client.frames)
    for uri in (new_session(), new_chat(), "nowhere", ""):
        await talk.client.dispatch(uri, {"type": "session/titleChanged", "title": "Lost"})
        await talk.client.dispatch(uri, turn_started("say lost"))
    echo = await accepted(talk.client, talk.session, {"type": "session/titleChanged", "title": "Found"})
    actions = [f for f in talk.client.frames[since:] if f.get("method") == "action" and f["params"] != echo]
    assert [f for f in actions if f["params"]["channel"] not in (talk.session, talk.chat)] == []


@covers("actions.once")
async def test_an_action_sent_twice_is_applied_once(talk: Talk, connect: Connect) -> None:
    def titled(title: str) -> Message:
        return {"type": "session/titleChanged", "title": title}

    bob = await talk.joined_by(await connect("bob"))
    for number, title in ((71, "First"), (72, "Second")):
        await talk.client.dispatch(talk.session, titled(title), number)
        seen = await talk.client.echo(number)
    await talk.client.dispatch(talk.session, titled("First"), 71)
    await talk.client.fence()
    talk.client.cut()
    again = await connect("alice", client_id=talk.client.client_id, initialize=False)
    await again.reconnect(seen["serverSeq"], talk.session)
    for number, title in ((72, "Second"), (71, "First"), (73, "Third"), (73, "Third"), (71, "First")):
        await again.dispatch(talk.session, titled(title), number)
    assert (await again.subscribe(talk.session))["state"]["title"] == "Third"
    await bob.client.action(talk.session, "session/titleChanged", title="Third")
    await bob.client.fence()
    told = [one["action"] for one in bob.client.envelopes if one["action"]["type"] == "session/titleChanged"]
    assert told == [titled("First"), titled("Second"), titled("Third")]


@covers("actions.once")
async def test_a_client_that_begins_anew_counts_anew(talk: Talk, connect: Connect) -> None:
    await talk.client.dispatch(talk.session, {"type": "session/titleChanged", "title": "Then"}, 1)
    await talk.client.echo(1)
    await talk.client.close()
    anew = await connect("alice", talk.session, client_id=talk.client.client_id)
    await accepted(anew, talk.session, {"type": "session/titleChanged", "title": "Now"})
    assert state_of(anew, talk.session)["title"] == "Now"


@covers("actions.unchanged")
async def test_what_changes_nothing_returns_to_its_sender_alone(talk: Talk, connect: Connect) -> None:
    bob = await talk.joined_by(await connect("bob"))
    same: dict[str, Any] = {"type": "session/titleChanged", "title": "Same"}
    first = await accepted(talk.client, talk.session, same)
    second = await accepted(talk.client, talk.session, same)
    assert second["serverSeq"] >= first["serverSeq"]
    last = await accepted(talk.client, talk.session, {"type": "session/titleChanged", "title": "Other"})
    await bob.client.action(talk.session, "session/titleChanged", title="Other")
    titles = [one for one in bob.client.envelopes if one["action"]["type"] == "session/titleChanged"]
    assert titles == [first, last]


@covers("actions.converge")
async def test_a_whole_conversation_can_be_followed_by_its_actions(
    talk: Talk, connect: Connect, agrees: Agrees
) -> None:
    bob = await talk.joined_by(await connect("bob"))
    await talk.client.subscribe(ROOT)
    second = await bob.another_chat()
    await talk.say("say hello\nthink twice\nusage 5 6\nworker dig")
    turn_id = await talk.start("tool notes.txt some notes\nask Which?")
    call = await talk.action("chat/toolCallReady", turnId=turn_id)
    approval = {"turnId": turn_id, "toolCallId": call["toolCallId"], "approved": True, "confirmed": "user-action"}
    await accepted(bob.client, talk.chat, {"type": "chat/toolCallConfirmed", **approval})
    asked = await talk.action("chat/inputRequested")
    await agrees(talk.client, talk.session, talk.chat, ROOT)
    done = {"type": "chat/inputCompleted", "requestId": asked["request"]["id"], "response": "cancel"}
    await accepted(talk.client, talk.chat, done)
    await talk.ended(turn_id)
    await bob.client.request("disposeChat", {"channel": second.chat})
    for client in (talk.client, bob.client):
        await agrees(client, talk.session, talk.chat)
