"""Does an agent in a process of its own do for clients on sockets what it should, and nothing that it should not?"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.agents import agent_rows
from tests.agents.acp.sessions import ROOT, SCRIPTED
from tests.conftest import Connect, connector
from tests.interaction.conversation import Talk, accepted, begin, refusal
from tests.service import RunningService, own_data

AGENT = "scripted"


@pytest.fixture(scope="module")
def local_service(own_database: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service whose agents may read this test's own files."""
    env = own_data(tmp_path_factory.mktemp("local"), f"ahp-local-{os.getpid()}")
    running = RunningService("up", env={**env, "DATABASE_URL": own_database, "AHP_SANDBOX": "local"})
    try:
        running.wait_ready()
        asyncio.run(_add_agents(running))
        yield running
    finally:
        running.stop()


async def _add_agents(running: RunningService) -> None:
    environment = {"PYTHONPATH": ROOT}
    await agent_rows.add(running, AGENT, SCRIPTED, environment)
    await agent_rows.add(running, "resting", SCRIPTED, environment, idle_s=1)
    await agent_rows.add(running, "dying", [*SCRIPTED, "--die-at=new"], environment)


@pytest.fixture
async def open_client(local_service: RunningService) -> AsyncIterator[Connect]:
    async with AsyncExitStack() as stack:
        yield connector(local_service, stack)


@pytest.fixture
async def talk(open_client: Connect) -> Talk:
    client = await open_client("alice", "ahp-root://")
    await _there(client)
    return await begin(client, provider=AGENT)


async def _there(client: Any) -> None:
    agents = (await client.subscribe("ahp-root://"))["state"]["agents"]
    if not any(agent["provider"] == AGENT and agent["models"] for agent in agents):
        await agent_rows.offered(client, AGENT)


async def asked(talk: Talk) -> Any:
    """The tool call that waits for somebody."""

    def found() -> Any:
        here = (each["action"] for each in reversed(talk.client.envelopes) if each["channel"] == talk.chat)
        return next((action for action in here if action.get("options")), None)

    return await talk.client.until(found, "a question for permission")


def answer(ready: Any, option: str, *, approved: bool) -> dict[str, Any]:
    base = {"type": "chat/toolCallConfirmed", "turnId": ready["turnId"], "toolCallId": ready["toolCallId"]}
    how = {"approved": True, "confirmed": "user-action"} if approved else {"approved": False, "reason": "denied"}
    return {**base, **how, "selectedOptionId": option}


def calls(turn: Any) -> list[Any]:
    return [part["toolCall"] for part in turn["responseParts"] if part["kind"] == "toolCall"]


async def test_its_models_options_and_forks_are_offered_as_it_told_them(talk: Talk) -> None:
    agents = (await talk.client.subscribe("ahp-root://"))["state"]["agents"]
    info = next(agent for agent in agents if agent["provider"] == AGENT)
    assert [model["id"] for model in info["models"]] == ["small", "large"]
    assert info["capabilities"] == {
        "multipleChats": {"fork": True, "sideChat": True},
        "multipleWorkingDirectories": {},
    }
    schema = talk.session_state["config"]["schema"]["properties"]
    assert (schema["mode"]["enum"], schema["loud"]["type"]) == (["ask", "code"], "boolean")


async def test_text_thoughts_plans_and_usage_reach_the_transcript(talk: Talk) -> None:
    plan = '{"sessionUpdate":"plan","entries":[{"content":"a","priority":"low","status":"completed"}]}'
    turn = await talk.say(f"think hm\nsay one\nupdate {plan}\nsay two\nusage 3 4")
    kinds = [part["kind"] for part in turn["responseParts"]]
    assert kinds == ["reasoning", "markdown", "toolCall", "markdown"]
    assert calls(turn)[0]["content"] == [{"type": "text", "text": "- [x] a"}]
    assert (turn["usage"]["inputTokens"], turn["usage"]["_meta"]["cost"]["currency"]) == (3, "EUR")


async def test_a_call_runs_once_after_approval_and_one_that_is_allowed_for_ever_is_not_asked_again(talk: Talk) -> None:
    turn_id = await talk.start("ask make")
    ready = await asked(talk)
    assert [option["kind"] for option in ready["options"]] == ["approve", "approve", "deny"]
    await talk.client.dispatch(talk.chat, answer(ready, "ever", approved=True))
    await talk.ended(turn_id)
    (call,) = calls(talk.turn(turn_id))
    assert (call["status"], call["content"]) == ("completed", [{"type": "text", "text": "ran make"}])
    assert calls(await talk.say("ask make"))[0]["status"] == "completed"


async def test_three_calls_that_wait_at_once_are_answered_in_any_order_by_different_people(
    talk: Talk, open_client: Connect
) -> None:
    bob = await talk.joined_by(await open_client("bob"))
    turn_id = await talk.start("three")
    await talk.client.until(lambda: len(_waiting(talk)) == 3, "three questions")
    waiting = _waiting(talk)
    for name, who in (("third", bob), ("first", talk), ("second", bob)):
        await accepted(who.client, talk.chat, answer(waiting[name], "yes", approved=True))
        await talk.client.action(talk.chat, "chat/delta", content=f"{name} ")
    await talk.ended(turn_id)
    assert [call["status"] for call in calls(talk.turn(turn_id))] == ["completed"] * 3
    assert "inputNeeded" not in talk.session_state or talk.session_state["inputNeeded"] == []


def _waiting(talk: Talk) -> dict[str, Any]:
    here = (each["action"] for each in talk.client.envelopes if each["channel"] == talk.chat)
    return {action["invocationMessage"]: action for action in here if action.get("options")}


async def test_a_denied_call_is_cancelled_and_the_agent_knows(talk: Talk) -> None:
    turn_id = await talk.start("ask rm")
    await talk.client.dispatch(talk.chat, answer(await asked(talk), "no", approved=False))
    await talk.ended(turn_id)
    turn = talk.turn(turn_id)
    assert calls(turn)[0]["status"] == "cancelled"
    assert turn["responseParts"][-1]["content"] == "Not allowed: selected "


async def test_a_question_dies_with_its_turn(talk: Talk) -> None:
    turn_id = await talk.start("ask make")
    ready = await asked(talk)
    await talk.cancel(turn_id)
    assert (await talk.ended(turn_id))["type"] == "chat/turnCancelled"
    assert await refusal(talk.client, talk.chat, answer(ready, "yes", approved=True))
    assert (await talk.say("say on"))["responseParts"][0]["content"] == "on "


async def test_a_command_of_the_agent_runs_where_everybody_can_watch(talk: Talk) -> None:
    turn = await talk.say("terminal echo $GIVEN; exit 3")
    (call,) = calls(turn)
    terminal = call["content"][0]
    assert (terminal["result"]["exitCode"], "by the agent" in terminal["result"]["preview"]) == (3, True)
    state = (await talk.client.subscribe(terminal["resource"]))["state"]
    assert state["claim"]["toolCallId"] == call["toolCallId"]
    assert "exit 3 truncated False" in turn["responseParts"][-1]["content"]


async def test_files_are_those_of_the_session_and_no_others(talk: Talk, local_service: RunningService) -> None:
    inside = talk.session_state["workingDirectories"][0].removeprefix("file://")
    secret = Path(local_service.env["AHP_DATA_DIR"]) / "workspaces" / "other"
    lines = [f"write {inside}/a/b.txt hello", f"read {inside}/a/b.txt", f"read {secret}/x", "read /etc/passwd"]
    said = "".join(part["content"] for part in (await talk.say("\n".join(lines)))["responseParts"])
    assert said.startswith("written hello")
    assert said.count("refused -32602") == 2
    read = await talk.client.request("resourceRead", {"uri": f"file://{inside}/a/b.txt"})
    assert "hello" in str(read) or "aGVsbG8=" in str(read)


async def test_a_diff_can_be_read_before_and_after(talk: Talk) -> None:
    inside = talk.session_state["workingDirectories"][0].removeprefix("file://")
    diff = f'{{"type":"diff","path":"{inside}/a","oldText":"old\\n","newText":"new\\nmore\\n"}}'
    call = f'"toolCallId":"c","title":"edit","kind":"edit","status":"completed","content":[{diff}]'
    turn = await talk.say(f'update {{"sessionUpdate":"tool_call",{call}}}')
    (edit,) = calls(turn)[0]["content"]
    assert edit["diff"] == {"added": 2, "removed": 1}
    for side, text in (("before", "old\n"), ("after", "new\nmore\n")):
        uri = edit[side]["content"]["uri"]
        assert (await talk.client.request("resourceRead", {"uri": uri, "encoding": "utf-8"}))["data"] == text


async def test_titles_and_commands_are_offered(talk: Talk) -> None:
    commands = '{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"review","description":"R"}]}'
    await talk.say(f'update {{"sessionUpdate":"session_info_update","title":"Tea"}}\nupdate {commands}')
    assert (await talk.client.subscribe(talk.session))["state"]["title"] == "Tea"
    asked = {"channel": talk.chat, "kind": "userMessage", "text": "/re", "offset": 3}
    (item,) = (await talk.client.request("completions", asked))["items"]
    assert (item["insertText"], item["attachment"]["label"]) == ("/review ", "/review")


async def test_an_agent_that_was_stopped_goes_on_where_it_was(open_client: Connect) -> None:
    talk = await begin(await open_client("alice"), provider="resting")
    first = await talk.say("env HOME")
    home = first["responseParts"][0]["content"]
    await asyncio.wait_for(asyncio.to_thread(_until_gone, home), 20)
    turn = await talk.say("memory")
    assert "prompts 2, told nothing" in turn["responseParts"][0]["content"]


def _until_gone(home: str) -> None:
    """Block until no process has this home: whoever looks often enough sees the last of them end."""
    while any(_belongs(path, home) for path in Path("/proc").glob("[0-9]*/environ")):
        threading.Event().wait(0.05)


def _belongs(environ: Path, home: str) -> bool:
    try:
        return f"HOME={home}\0".encode() in environ.read_bytes()
    except OSError:
        return False


async def test_an_agent_that_cannot_begin_says_so_and_another_goes_on(open_client: Connect) -> None:
    client = await open_client("alice")
    dying, well = await begin(client, provider="dying"), await begin(client, provider=AGENT)
    turn_id = await dying.start("say x")
    ending = await dying.ended(turn_id)
    assert ending["error"]["errorType"] == "agentExited"
    assert "cannot new" in ending["error"]["message"]
    assert (await well.say("say y"))["responseParts"][0]["content"] == "y "


async def test_a_message_to_steer_waits_where_the_agent_cannot_be_steered(talk: Talk) -> None:
    turn_id = await talk.start("say begun\nhang")
    await talk.client.action(talk.chat, "chat/delta")
    message = {"text": "left", "origin": {"kind": "user"}}
    pending = {"type": "chat/pendingMessageSet", "kind": "steering", "id": "s", "message": message}
    await talk.client.dispatch(talk.chat, pending)
    await talk.client.action(talk.chat, "chat/pendingMessageSet")
    await talk.cancel(turn_id)
    await talk.ended(turn_id)
    assert talk.chat_state["steeringMessage"]["message"]["text"] == "left"
