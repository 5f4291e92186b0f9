"""Which clients take part in a session, and what do their tools do?"""

from __future__ import annotations

from typing import Any

import pytest

from tests.client import Message
from tests.conftest import Connect
from tests.interaction.client_tools import RESULT, TOOL, active, complete, running_call
from tests.interaction.conftest import Agrees
from tests.interaction.conversation import Talk, accepted, begin, new_session, refusal, text_of
from tests.interaction.requirements import covers


def ids(talk: Talk) -> list[str]:
    """Who is active."""
    return [client["clientId"] for client in talk.session_state["activeClients"]]


@covers("sessions.clients", "actions.converge")
async def test_a_client_speaks_for_itself(talk: Talk, connect: Connect, agrees: Agrees) -> None:
    bob = await talk.joined_by(await connect("bob"))
    await accepted(bob.client, talk.session, active(bob.client))
    await accepted(bob.client, talk.session, active(bob.client, TOOL))
    await accepted(talk.client, talk.session, active(talk.client))
    await bob.client.action(talk.session, "session/activeClientSet", activeClient=active(talk.client)["activeClient"])
    assert ids(bob) == [bob.client.client_id, talk.client.client_id]
    assert bob.session_state["activeClients"][0]["tools"] == [TOOL]
    assert await refusal(bob.client, talk.session, active(talk.client, TOOL))
    leave: Message = {"type": "session/activeClientRemoved", "clientId": bob.client.client_id}
    assert await refusal(talk.client, talk.session, leave)
    await accepted(bob.client, talk.session, leave)
    assert ids(bob) == [talk.client.client_id]
    await agrees(bob.client, talk.session)


@covers("sessions.clients")
async def test_a_client_that_unsubscribes_is_active_no_more(talk: Talk, connect: Connect) -> None:
    bob = await talk.joined_by(await connect("bob"))
    await accepted(bob.client, talk.session, active(bob.client))
    await bob.client.notify("unsubscribe", {"channel": talk.chat})
    await bob.client.request("listSessions", {"limit": 1})
    assert ids(talk) == [bob.client.client_id]
    await bob.client.notify("unsubscribe", {"channel": talk.session})
    await talk.client.action(talk.session, "session/activeClientRemoved", clientId=bob.client.client_id)
    assert ids(talk) == []


@covers("chats.client-tools", "sessions.input-needed", "actions.converge")
async def test_a_clients_tool_runs_at_the_client(talk: Talk, connect: Connect, agrees: Agrees) -> None:
    editor = await talk.joined_by(await connect("bob"))
    await accepted(editor.client, talk.session, active(editor.client, TOOL))
    ready = await running_call(talk)
    start = await talk.action("chat/toolCallStart")
    assert start["contributor"] == {"kind": "client", "clientId": editor.client.client_id}
    assert (start["toolName"], ready["toolInput"]) == ("open_editor", '{"line": 7}')
    request = (await editor.client.action(talk.session, "session/inputNeededSet"))["action"]["request"]
    assert (request["kind"], request["clientId"]) == ("toolClientExecution", editor.client.client_id)
    content = {"type": "chat/toolCallContentChanged", "turnId": ready["turnId"], "toolCallId": ready["toolCallId"]}
    for action in (complete(ready, RESULT), {**content, "content": []}):
        assert await refusal(talk.client, talk.chat, action)
    await accepted(editor.client, talk.chat, {**content, "content": [{"type": "text", "text": "line 6"}]})
    await agrees(talk.client, talk.session, talk.chat)
    await accepted(editor.client, talk.chat, complete(ready, RESULT))
    await talk.ended(ready["turnId"])
    assert "open_editor returned: line 7" in text_of(talk.turn(ready["turnId"]))
    assert "inputNeeded" not in talk.session_state
    assert await refusal(editor.client, talk.chat, complete(ready, RESULT))
    await agrees(editor.client, talk.session, talk.chat)


@covers("chats.client-tools")
async def test_a_failed_tool_is_told_to_the_agent(talk: Talk) -> None:
    await accepted(talk.client, talk.session, active(talk.client, TOOL))
    ready = await running_call(talk)
    failed = {"success": False, "pastTenseMessage": "Did not open", "error": {"message": "no display"}}
    await accepted(talk.client, talk.chat, complete(ready, failed))
    await talk.ended(ready["turnId"])
    assert "open_editor failed: no display" in text_of(talk.turn(ready["turnId"]))


@covers("chats.client-tools")
async def test_a_tool_that_nobody_offers_is_not_called(talk: Talk) -> None:
    await accepted(talk.client, talk.session, active(talk.client, TOOL))
    turn = await talk.say("client other_tool {}")
    assert [part["kind"] for part in turn["responseParts"]] == ["markdown"]
    assert "other_tool" in text_of(turn)


@covers("sessions.orphaned-tools", "actions.converge")
@pytest.mark.parametrize("how", ["says so", "unsubscribes", "begins anew", "reconnects without the session"])
async def test_calls_of_a_client_that_left_end_without_success(
    talk: Talk, connect: Connect, agrees: Agrees, how: str
) -> None:
    editor = await talk.joined_by(await connect("bob"))
    second = await talk.another_chat()
    await accepted(editor.client, talk.session, active(editor.client, TOOL))
    calls = [(chat, await running_call(chat)) for chat in (talk, second)]
    await leave(editor, connect, how)
    for chat, ready in calls:
        ended = await chat.action("chat/toolCallComplete", toolCallId=ready["toolCallId"])
        assert ended["result"]["success"] is False
        assert (await chat.ended(ready["turnId"]))["type"] == "chat/turnComplete"
        assert text_of(chat.turn(ready["turnId"])).endswith("and on it goes")
    assert "inputNeeded" not in talk.session_state
    assert ids(talk) == []
    await agrees(talk.client, talk.session, talk.chat, second.chat)


async def leave(talk: Talk, connect: Connect, how: str) -> None:
    """End a client's part in a session."""
    client = talk.client
    if how == "says so":
        await client.dispatch(talk.session, {"type": "session/activeClientRemoved", "clientId": client.client_id})
    elif how == "unsubscribes":
        await client.notify("unsubscribe", {"channel": talk.session})
    else:
        seen = max(one["serverSeq"] for one in client.envelopes)
        client.cut()
        again = await connect("bob", client_id=client.client_id, initialize=False)
        await (again.initialize() if how == "begins anew" else again.reconnect(seen, talk.chat))


@covers("sessions.grace")
async def test_a_client_that_returns_in_time_stays_active(talk: Talk, connect: Connect) -> None:
    editor = await talk.joined_by(await connect("bob"))
    await accepted(editor.client, talk.session, active(editor.client, TOOL))
    ready = await running_call(talk)
    seen = max(one["serverSeq"] for one in editor.client.envelopes)
    editor.client.cut()
    again = await connect("bob", client_id=editor.client.client_id, initialize=False)
    assert (await again.reconnect(seen, talk.session, talk.chat))["type"] == "replay"
    # Whoever comes back goes on counting.
    assert "rejectionReason" not in await again.echo(await again.dispatch(talk.chat, complete(ready, RESULT), 100))
    await talk.ended(ready["turnId"])
    assert "line 7" in text_of(talk.turn(ready["turnId"]))
    assert ids(talk) == [again.client_id]


@covers("sessions.own-client")
async def test_a_client_may_be_active_from_the_beginning(connect: Connect) -> None:
    client: Any = await connect()
    talk = await begin(client, new_session(), activeClient=active(client, TOOL)["activeClient"])
    ready = await running_call(talk)
    await accepted(client, talk.chat, complete(ready, RESULT))
    await talk.ended(ready["turnId"])
    await client.notify("unsubscribe", {"channel": talk.session})
    state = (await client.subscribe(talk.session))["state"]
    assert state["activeClients"] == []
