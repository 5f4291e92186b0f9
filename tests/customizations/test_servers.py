"""Do the MCP servers of a session live as people ask: start, answer agents, crash, stop?"""

from __future__ import annotations

from tests.conftest import Connect
from tests.customizations.workspaces import Project, start, stop, until, until_state
from tests.interaction.conversation import accepted


async def test_a_declared_server_is_shown_and_not_started(connect: Connect, project: Project) -> None:
    project.declare(notes=project.notes())
    talk = await project.session(await connect("alice"))
    server = await until(talk, "notes")
    assert (server["type"], server["enabled"], server["state"]) == ("mcpServer", True, {"kind": "stopped"})
    assert server["uri"] == f"{project.uri}/.mcp.json"
    assert "channel" not in server


async def test_a_server_starts_on_request_and_stops_on_request(connect: Connect, project: Project) -> None:
    project.declare(notes=project.notes())
    talk = await project.session(await connect("alice"))
    server = await until(talk, "notes")
    await accepted(talk.client, talk.session, start(server["id"]))
    ready = await until_state(talk, "notes", "ready")
    assert ready["channel"].startswith("mcp://")
    assert ready["mcpApp"] == {"capabilities": {"serverTools": {"listChanged": True}, "serverResources": {}}}
    await accepted(talk.client, talk.session, stop(server["id"]))
    assert "channel" not in await until_state(talk, "notes", "stopped")


async def test_a_server_that_cannot_start_says_why(connect: Connect, project: Project) -> None:
    project.declare(notes=project.notes("--never"))
    talk = await project.session(await connect("alice"))
    server = await until(talk, "notes")
    await accepted(talk.client, talk.session, start(server["id"]))
    failed = await until_state(talk, "notes", "error")
    assert "no licence found" in failed["state"]["error"]["message"]
