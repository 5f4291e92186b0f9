"""Do an agent's commands, and those of a message, run where everybody in the session can watch?"""

from __future__ import annotations

from tests.agents.chats import calls_of
from tests.client import Client, Message
from tests.conftest import Connect
from tests.interaction.conversation import Talk, begin, text_of
from tests.terminals.conftest import Gone
from tests.terminals.shell import Shell


async def pending(talk: Talk, turn_id: str) -> str:
    """The tool call of the turn that asks for consent."""
    ready = await talk.client.action(talk.chat, "chat/toolCallReady", turnId=turn_id)
    call: str = ready["action"]["toolCallId"]
    return call


async def approve(talk: Talk, turn_id: str, call: str) -> None:
    confirmed = {"turnId": turn_id, "toolCallId": call, "approved": True, "confirmed": "user-action"}
    await talk.client.dispatch(talk.chat, {"type": "chat/toolCallConfirmed", **confirmed})


async def terminal_of(client: Client, chat: str, turn_id: str) -> Message:
    """The terminal that a running tool call shows."""
    changed = await client.action(chat, "chat/toolCallContentChanged", turnId=turn_id)
    content: Message = changed["action"]["content"][0]
    return content


async def test_a_confirmed_command_runs_in_a_terminal_of_the_session(connect: Connect) -> None:
    talk = await begin(await connect())
    turn_id = await talk.start("run echo $((6*7)); pwd; exit 4")
    await approve(talk, turn_id, await pending(talk, turn_id))
    await talk.ended(turn_id, within_s=30)
    turn = talk.turn(turn_id)
    (call,) = calls_of(dict(turn))
    (content,) = call["content"]
    assert content["result"]["exitCode"] == 4
    assert content["result"]["preview"].startswith("42\r\n")
    assert "exit code 4" in text_of(turn)
    state = (await talk.client.subscribe(content["resource"]))["state"]
    assert state["claim"]["session"] == talk.session
    assert state["exitCode"] == 4
    assert state["content"][0]["commandLine"].startswith("echo")
    assert state["content"][0]["isComplete"]


async def test_a_message_may_be_a_shell_command(connect: Connect) -> None:
    client = await connect("alice", initialize=False)
    assert (await client.initialize())["terminalCommandPrefix"] == "!"
    talk = await begin(client)
    turn = await talk.say("!echo from the $((1+1))nd shell")
    (call,) = calls_of(dict(turn))
    assert call["success"]
    assert call["content"][0]["result"]["preview"] == "from the 2nd shell\r\n"


async def test_cancelling_the_turn_ends_the_command(connect: Connect, gone: Gone) -> None:
    talk = await begin(await connect())
    turn_id = await talk.start("!sleep 70127.5")
    content = await terminal_of(talk.client, talk.chat, turn_id)
    shell = Shell(talk.client, content["resource"])
    await talk.client.subscribe(shell.uri)
    await talk.client.dispatch(talk.chat, {"type": "chat/turnCancelled", "turnId": turn_id, "duration": 0})
    await shell.action("exited")
    await gone("70127.5")
    assert (await shell.state())["exitCode"] == 137


async def test_people_answer_what_a_command_asks(connect: Connect) -> None:
    talk = await begin(await connect())
    turn_id = await talk.start("!read -p 'name? ' name; echo hello $name")
    content = await terminal_of(talk.client, talk.chat, turn_id)
    shell = Shell(talk.client, content["resource"])
    await talk.client.subscribe(shell.uri)
    await shell.type("Ada")
    await talk.ended(turn_id, within_s=30)
    (call,) = calls_of(dict(talk.turn(turn_id)))
    assert "hello Ada" in call["content"][0]["result"]["preview"]
