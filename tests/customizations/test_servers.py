"""Do the MCP servers of a session live as people ask: start, answer agents, crash, stop?"""

from __future__ import annotations

import json
from typing import Any

import psutil

from tests.conftest import Connect
from tests.customizations.workspaces import (
    Project,
    approve,
    call_in,
    called,
    ready,
    start,
    stop,
    toggle,
    until,
    until_state,
)
from tests.interaction.conversation import Talk, accepted, refusal, text_of


def processes(project: Project) -> list[int]:
    """What runs for a project on this machine."""
    found = []
    for process in psutil.process_iter(["cmdline"]):
        if any(str(project.path) in word for word in process.info["cmdline"] or ()):
            found.append(process.pid)
    return found


async def test_a_declared_server_is_shown_and_not_started(connect: Connect, project: Project) -> None:
    project.declare(notes=project.notes())
    talk = await project.session(await connect("alice"))
    server = await until(talk, "notes")
    assert (server["type"], server["enabled"], server["state"]) == ("mcpServer", True, {"kind": "stopped"})
    assert server["uri"] == f"{project.uri}/.mcp.json"
    assert "channel" not in server
    assert processes(project) == []


async def test_a_server_starts_and_stops_on_request(connect: Connect, project: Project) -> None:
    project.declare(notes=project.notes())
    talk = await project.session(await connect("alice"))
    server = await ready(talk, "notes")
    assert server["channel"].startswith("mcp://")
    assert server["mcpApp"] == {"capabilities": {"serverTools": {"listChanged": True}, "serverResources": {}}}
    assert processes(project)
    since = len(talk.client.envelopes)
    await accepted(talk.client, talk.session, stop(server["id"]))
    assert "channel" not in await until_state(talk, "notes", "stopped")
    await accepted(talk.client, talk.session, start(server["id"]))
    # It was over before it began again.
    await talk.client.action(
        talk.session, "session/mcpServerStateChanged", since, state={"kind": "ready"}, id=server["id"]
    )


async def test_a_server_that_cannot_start_says_why(connect: Connect, project: Project) -> None:
    project.declare(
        notes=project.notes("--never"),
        missing={"command": "no-such-program"},
        filled={"command": "python3", "env": {"KEY": "${AHP_SECRET_KEY}"}},
        old={"type": "sse", "url": "https://mcp.example/sse"},
    )
    talk = await project.session(await connect("alice"))
    for name in ("filled", "old"):
        assert (await until(talk, name))["state"]["error"]["errorType"] == "declaration"
    for name, why in (("notes", "no licence found"), ("missing", "no-such-program")):
        server = await until(talk, name)
        await accepted(talk.client, talk.session, start(server["id"]))
        failed = await until_state(talk, name, "error")
        assert why in failed["state"]["error"]["message"]


async def test_an_approved_tool_runs_and_its_server_started_for_it(connect: Connect, project: Project) -> None:
    project.declare(notes=project.notes())
    talk = await project.session(await connect("alice"))
    server = await until(talk, "notes")
    turn_id = await talk.start('mcp notes echo {"text": "hello"}')
    asked = await approve(talk, turn_id)
    assert (await talk.ended(turn_id))["type"] == "chat/turnComplete"
    call = call_in(talk.turn(turn_id))
    assert call["contributor"] == {"kind": "mcp", "customizationId": server["id"]}
    assert json.loads(asked["toolInput"]) == {"text": "hello"}
    assert (call["status"], call["success"], call["structuredContent"]) == ("completed", True, {"echoed": "hello"})
    assert text_of(talk.turn(turn_id)) == "echo returned: hello"
    await until_state(talk, "notes", "ready")


async def test_a_denied_tool_does_not_run(connect: Connect, project: Project) -> None:
    project.declare(notes=project.notes())
    talk = await project.session(await connect("alice"))
    await until(talk, "notes")
    turn_id = await talk.start("mcp notes crash")
    await approve(talk, turn_id, approved=False)
    await talk.ended(turn_id)
    assert text_of(talk.turn(turn_id)) == "I did not call crash."
    assert (await until(talk, "notes"))["state"] == {"kind": "stopped"}


async def test_a_tool_that_reports_an_error_has_failed(connect: Connect, project: Project) -> None:
    project.declare(notes=project.notes())
    talk = await project.session(await connect("alice"))
    await until(talk, "notes")
    call = await called(talk, "notes fail")
    assert (call["success"], call["error"]["message"]) == (False, "it did not work")


async def test_what_a_server_asks_is_put_to_the_people(connect: Connect, project: Project) -> None:
    project.declare(notes=project.notes())
    talk = await project.session(await connect("alice"))
    await until(talk, "notes")
    turn_id = await talk.start("mcp notes ask")
    await approve(talk, turn_id)
    request = (await talk.action("chat/inputRequested"))["request"]
    assert request["message"] == "Who are you?"
    kinds = {question["id"]: (question["kind"], question["required"]) for question in request["questions"]}
    assert kinds == {"name": ("text", True), "count": ("integer", False), "size": ("single-select", False)}
    assert request["questions"][2]["options"] == [{"id": "s", "label": "Small"}, {"id": "m", "label": "Medium"}]
    await accepted(talk.client, talk.chat, answered(request["id"], name=("text", "Ann"), count=("number", 2)))
    await talk.ended(turn_id)
    said = json.loads(call_in(talk.turn(turn_id))["content"][0]["text"])
    assert said == {"action": "accept", "content": {"name": "Ann", "count": 2}}


async def test_a_question_that_nobody_wants_to_answer_is_declined(connect: Connect, project: Project) -> None:
    project.declare(notes=project.notes())
    talk = await project.session(await connect("alice"))
    await until(talk, "notes")
    turn_id = await talk.start("mcp notes ask")
    await approve(talk, turn_id)
    request = (await talk.action("chat/inputRequested"))["request"]
    completed = {"type": "chat/inputCompleted", "requestId": request["id"], "response": "decline"}
    await accepted(talk.client, talk.chat, completed)
    await talk.ended(turn_id)
    assert json.loads(call_in(talk.turn(turn_id))["content"][0]["text"]) == {"action": "decline"}


async def test_a_server_that_crashes_is_in_error_and_can_start_again(connect: Connect, project: Project) -> None:
    project.declare(notes=project.notes())
    talk = await project.session(await connect("alice"))
    server = await ready(talk, "notes")
    call = await called(talk, "notes crash")
    assert call["success"] is False
    failed = await until_state(talk, "notes", "error")
    assert failed["state"]["error"]["errorType"] == "crashed"
    assert "out of paper" in failed["state"]["error"]["message"]
    assert "channel" not in failed
    await accepted(talk.client, talk.session, start(server["id"]))
    await until_state(talk, "notes", "ready")


async def test_a_cancelled_turn_lets_go_of_its_call(connect: Connect, project: Project) -> None:
    project.declare(notes=project.notes())
    talk = await project.session(await connect("alice"))
    await until(talk, "notes")
    turn_id = await talk.start("mcp notes wait")
    await approve(talk, turn_id)
    await until_state(talk, "notes", "ready")
    await talk.cancel(turn_id)
    await talk.ended(turn_id)
    assert text_of(await talk.say("say still here")) == "still here"


async def test_a_server_gets_what_is_declared_for_it_and_nothing_of_ours(connect: Connect, project: Project) -> None:
    project.declare(notes=project.notes(env={"COLOUR": "blue", "HERE": "${workspaceFolder}"}))
    talk = await project.session(await connect("alice"))
    await until(talk, "notes")
    found: dict[str, Any] = {}
    for name in ("COLOUR", "HERE", "DATABASE_URL", "AHP_SECRET_KEY"):
        call = await called(talk, f'notes environment {{"name": "{name}"}}')
        found[name] = call["content"][0]["text"]
    nothing = "not set"
    assert found == {
        "COLOUR": "blue",
        "HERE": str(project.path),
        "DATABASE_URL": nothing,
        "AHP_SECRET_KEY": nothing,
    }


async def test_switching_a_server_off_stops_it_and_agents_do_not_get_it(connect: Connect, project: Project) -> None:
    project.declare(notes=project.notes())
    talk = await project.session(await connect("alice"))
    server = await ready(talk, "notes")
    await accepted(talk.client, talk.session, toggle(server["id"], False))
    await until_state(talk, "notes", "stopped")
    assert "switched off" in await refusal(talk.client, talk.session, start(server["id"]))
    turn = await talk.say("mcp notes echo {}")
    assert text_of(turn) == "This session has no MCP server notes that is switched on."
    await accepted(talk.client, talk.session, toggle(server["id"], True))
    await ready(talk, "notes")


async def test_a_server_goes_with_its_declaration(connect: Connect, project: Project) -> None:
    project.declare(notes=project.notes(), other=project.notes())
    talk = await project.session(await connect("alice"))
    await ready(talk, "notes")
    project.declare(other=project.notes())
    await talk.client.action(talk.session, "session/customizationRemoved")
    assert [item["name"] for item in talk.session_state["customizations"]] == ["other"]
    await all_gone(talk, project)


async def test_the_end_of_a_session_ends_its_servers(connect: Connect, project: Project) -> None:
    project.declare(notes=project.notes())
    talk = await project.session(await connect("alice"))
    channel = (await ready(talk, "notes"))["channel"]
    await talk.client.request("disposeSession", {"channel": talk.session})
    assert (await talk.client.refused("tools/list", {"channel": channel})).code == -32008
    await all_gone(talk, project)


async def all_gone(talk: Talk, project: Project) -> None:
    """Wait until nothing runs for the project; each ping gives the host a turn."""
    for _ in range(2_000):
        if not processes(project):
            return
        await talk.client.fence()
    raise AssertionError(f"still there: {processes(project)}")


def answered(request_id: str, **answers: tuple[str, Any]) -> dict[str, Any]:
    given = {
        name: {"state": "submitted", "value": {"kind": kind, "value": value}} for name, (kind, value) in answers.items()
    }
    return {"type": "chat/inputCompleted", "requestId": request_id, "response": "accept", "answers": given}
