"""How does a chat begin, fork, stand beside another and end?"""

from __future__ import annotations

import pytest

from tests.conftest import Connect
from tests.interaction.conftest import Agrees
from tests.interaction.conversation import BUSY, Talk, accepted, begin, new_chat, new_session, refusal, text_of, user
from tests.interaction.requirements import covers


@covers("chats.create", "actions.converge")
async def test_a_chat_may_begin_with_a_message(talk: Talk, connect: Connect, agrees: Agrees) -> None:
    bob = await talk.joined_by(await connect("bob"))
    chat = new_chat()
    params = {"channel": talk.session, "chat": chat, "initialMessage": user("say I begin")}
    assert await talk.client.request("createChat", params) is None
    summary = (await bob.client.action(talk.session, "session/chatAdded"))["action"]["summary"]
    assert (summary["resource"], summary["origin"]) == (chat, {"kind": "user"})
    other = Talk(talk.client, talk.session, chat)
    state = (await talk.client.subscribe(chat))["state"]
    turn_id = (state.get("activeTurn") or state["turns"][0])["id"]
    if "activeTurn" in state:
        await other.ended(turn_id)
    assert text_of(other.turn(turn_id)) == "I begin"
    await agrees(bob.client, talk.session)


@covers("chats.create")
async def test_a_chat_needs_a_session_and_a_free_uri(talk: Talk) -> None:
    client = talk.client
    assert (await client.refused("createChat", {"channel": talk.session, "chat": talk.chat})).code == -32010
    assert (await client.refused("createChat", {"channel": talk.session, "chat": talk.session})).code == -32010
    assert (await client.refused("createChat", {"channel": talk.session, "chat": "no uri"})).code == -32602
    assert (await client.refused("createChat", {"channel": new_session(), "chat": new_chat()})).code == -32001
    assert (await client.refused("createChat", {"channel": talk.chat, "chat": new_chat()})).code == -32008
    assert [chat["resource"] for chat in (await client.subscribe(talk.session))["state"]["chats"]] == [talk.chat]


@covers("chats.directories")
async def test_a_chat_works_in_some_of_its_sessions_directories(connect: Connect, agrees: Agrees) -> None:
    client = await connect()
    root = client.frames[0]["result"]["defaultDirectory"]
    directories = [f"{root}/{name}" for name in ("one", "two", "three")]
    talk = await begin(client, workingDirectories=directories)
    subset = {"workingDirectories": directories[1:], "primaryWorkingDirectory": directories[2]}
    chat = await talk.another_chat(**subset)
    assert {name: chat.chat_state[name] for name in subset} == subset
    for wrong in (
        {"workingDirectories": [f"{root}/four"]},
        {"workingDirectories": directories[:1], "primaryWorkingDirectory": directories[1]},
        {"primaryWorkingDirectory": f"{root}/four"},
    ):
        params = {"channel": talk.session, "chat": new_chat(), **wrong}
        assert (await client.refused("createChat", params)).code == -32602
    assert await refusal(client, chat.chat, {"type": "chat/workingDirectorySet", "directory": f"{root}/four"})
    assert await refusal(client, chat.chat, {"type": "chat/workingDirectoryRemoved", "directory": directories[2]})
    assert await refusal(client, talk.session, {"type": "session/workingDirectoryRemoved", "directory": directories[1]})
    await agrees(client, talk.session, chat.chat)


@covers("chats.context", "chats.directories", "actions.converge")
async def test_drafts_and_directories_are_shared(talk: Talk, connect: Connect, agrees: Agrees) -> None:
    bob = await talk.joined_by(await connect("bob"))
    (only,) = talk.chat_state["workingDirectories"]
    await accepted(talk.client, talk.chat, {"type": "chat/draftChanged", "draft": user("not sent y")})
    await accepted(bob.client, talk.chat, {"type": "chat/workingDirectoryRemoved", "directory": only})
    await accepted(bob.client, talk.chat, {"type": "chat/workingDirectorySet", "directory": only})
    await bob.action("chat/draftChanged")
    assert bob.chat_state["draft"] == user("not sent y")
    assert bob.chat_state["workingDirectories"] == [only]
    await accepted(bob.client, talk.chat, {"type": "chat/draftChanged"})
    assert "draft" not in bob.chat_state
    await agrees(talk.client, talk.chat, talk.session)


@covers("chats.fork")
async def test_a_forked_chat_copies_turns_through_a_completed_one(talk: Talk, agrees: Agrees) -> None:
    turns = [await talk.say(f"say {word}") for word in ("one", "two", "three")]
    source = {"kind": "fork", "chat": talk.chat, "turnId": turns[1]["id"]}
    fork = await talk.another_chat(source=source)
    assert fork.chat_state["turns"] == turns[:2]
    assert fork.chat_state["origin"] == source
    await fork.say("say differently")
    assert [text_of(turn) for turn in talk.chat_state["turns"]] == ["one", "two", "three"]
    await agrees(talk.client, talk.session, fork.chat)


@covers("chats.fork")
async def test_a_fork_needs_a_completed_turn_of_the_same_session(talk: Talk) -> None:
    elsewhere = await begin(talk.client)
    foreign = await elsewhere.say("say foreign")
    active = await talk.start(BUSY)
    for chat, turn_id in ((talk.chat, active), (talk.chat, "none"), (elsewhere.chat, foreign["id"]), (new_chat(), "x")):
        uri = new_chat()
        source = {"kind": "fork", "chat": chat, "turnId": turn_id}
        params = {"channel": talk.session, "chat": uri, "source": source}
        assert (await talk.client.refused("createChat", params)).code == -32008
        assert (await talk.client.refused("subscribe", {"channel": uri})).code == -32008
    await talk.cancel(active)


@covers("chats.side")
async def test_a_side_chat_stands_beside_the_active_turn(talk: Talk, connect: Connect, agrees: Agrees) -> None:
    done = await talk.say("say context")
    active = await talk.start("wait 600000")
    for turn_id in (done["id"], active):
        source = {
            "kind": "sideChat",
            "chat": talk.chat,
            "turnId": turn_id,
            "selection": {"text": "  con\u00a0text\n", "responsePartId": "part"},
        }
        side = await talk.another_chat(source=source)
        assert (side.chat_state["turns"], side.chat_state["origin"]) == ([], source)
        assert text_of(await side.say("say aside")) == "aside"
    assert talk.chat_state["activeTurn"]["id"] == active
    await talk.cancel(active)
    await agrees(talk.client, talk.session, side.chat)


@covers("chats.side")
@pytest.mark.parametrize(("more", "code"), [({"selection": {"text": ""}}, -32602), ({"turnId": "none"}, -32008)])
async def test_a_side_chat_needs_a_turn_and_some_text(talk: Talk, more: dict[str, object], code: int) -> None:
    done = await talk.say("say context")
    source = {"kind": "sideChat", "chat": talk.chat, "turnId": done["id"], **more}
    params = {"channel": talk.session, "chat": new_chat(), "source": source}
    assert (await talk.client.refused("createChat", params)).code == code


@covers("chats.dispose")
async def test_a_disposed_chat_leaves_its_session(talk: Talk, connect: Connect, agrees: Agrees) -> None:
    second = await talk.another_chat()
    bob = await second.joined_by(await connect("bob"))
    turn_id = await second.start("ask")
    await bob.action("chat/inputRequested")
    queued = {"type": "chat/pendingMessageSet", "kind": "queued", "id": "q", "message": user("say never")}
    await accepted(talk.client, second.chat, queued)
    assert await talk.client.request("disposeChat", {"channel": second.chat}) is None
    await bob.client.action(talk.session, "session/chatRemoved", chat=second.chat)
    assert (await bob.ended(turn_id))["type"] == "chat/turnCancelled"
    started = [one["action"] for one in bob.client.envelopes if one["action"]["type"] == "chat/turnStarted"]
    assert [action["turnId"] for action in started] == [turn_id]
    assert "inputNeeded" not in bob.session_state
    for method in ("subscribe", "disposeChat", "fetchTurns"):
        assert (await talk.client.refused(method, {"channel": second.chat})).code == -32008
    await agrees(bob.client, talk.session)


@covers("chats.attachments")
async def test_attachments_stay_as_they_were_sent(talk: Talk, connect: Connect) -> None:
    first = await talk.say("say to be quoted")
    attachments = [
        {"type": "simple", "label": "Note", "modelRepresentation": "a note", "_meta": {"token": "abc"}},
        {"type": "embeddedResource", "label": "Picture", "data": "AAAA", "contentType": "image/png"},
        {"type": "resource", "label": "File", "uri": "file:///anywhere/at all.txt", "contentType": "text/plain"},
        {"type": "annotations", "label": "Remarks", "resource": f"{talk.session}/annotations", "annotationIds": ["a"]},
        {"type": "chat", "label": "This chat", "resource": talk.chat, "endTurn": first["id"]},
    ]
    turn = await talk.say("say thanks", attachments=attachments)
    assert turn["message"]["attachments"] == attachments
    assert (await (await connect("bob")).subscribe(talk.chat))["state"]["turns"][-1]["message"] == turn["message"]


@covers("chats.attachments")
async def test_only_a_completed_turn_of_the_same_session_can_be_attached(talk: Talk) -> None:
    elsewhere = await begin(talk.client)
    foreign = await elsewhere.say("say foreign")
    for chat, turn_id in ((elsewhere.chat, foreign["id"]), (talk.chat, "none"), (new_chat(), "x"), (talk.session, "x")):
        attachment = {"type": "chat", "label": "A chat", "resource": chat, "endTurn": turn_id}
        message = user("say no", attachments=[attachment])
        action = {"type": "chat/turnStarted", "turnId": "t", "startedAt": "2026-01-01T00:00:00Z", "message": message}
        assert await refusal(talk.client, talk.chat, action)


@covers("chats.worker", "actions.converge")
async def test_a_worker_and_its_tool_call_name_each_other(talk: Talk, agrees: Agrees) -> None:
    turn = await talk.say("worker dig deep")
    call = next(part["toolCall"] for part in turn["responseParts"] if part["kind"] == "toolCall")
    (link,) = call["content"]
    assert (call["status"], call["success"], link["type"]) == ("completed", True, "subagent")
    worker = (await talk.client.subscribe(link["resource"]))["state"]
    assert worker["origin"] == {"kind": "tool", "chat": talk.chat, "toolCallId": call["toolCallId"]}
    assert text_of(worker["turns"][0]) == "dig deep"
    assert link["resource"] in [chat["resource"] for chat in talk.session_state["chats"]]
    assert "dig deep" in text_of(turn)
    await agrees(talk.client, talk.session, talk.chat)
