"""Does a server that others have made run here? `@modelcontextprotocol/server-everything`, from the npm registry."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import Connect
from tests.customizations.workspaces import Project, approve, call_in, called, ready
from tests.interaction.conversation import accepted

PACKAGE = "@modelcontextprotocol/server-everything@2026.8.31"
INSTALL_S = 240


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package, installed once."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        pytest.skip("NO REAL MCP SERVER WAS TRIED: Node.js is not there")
    folder = tmp_path_factory.mktemp("npm")
    quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline", "--prefix", str(folder)]
    done = subprocess.run([npm, "install", *quiet, PACKAGE], capture_output=True, text=True, timeout=INSTALL_S)
    if done.returncode:
        pytest.skip(f"NO REAL MCP SERVER WAS TRIED: {PACKAGE} could not be installed: {done.stderr[-300:]}")
    return folder


async def test_it_starts_is_called_and_asks(connect: Connect, project: Project, installed: Path) -> None:
    shutil.copytree(installed / "node_modules", project.path / "node_modules")
    program = "${workspaceFolder}/node_modules/@modelcontextprotocol/server-everything/dist/index.js"
    project.declare(everything={"command": "node", "args": [program]})
    talk = await project.session(await connect("alice"))
    server = await ready(talk, "everything")
    channel = server["channel"]
    tools = {tool["name"] for tool in (await talk.client.request("tools/list", {"channel": channel}))["tools"]}
    assert "echo" in tools
    call = await called(talk, 'everything echo {"message": "hello"}')
    assert call["content"][0]["text"] == "Echo: hello"
    resources = (await talk.client.request("resources/list", {"channel": channel}))["resources"]
    read = await talk.client.request("resources/read", {"channel": channel, "uri": resources[0]["uri"]})
    assert read["contents"]
    roots = await called(talk, "everything get-roots-list")
    assert project.uri in roots["content"][0]["text"]

    turn_id = await talk.start("mcp everything trigger-elicitation-request")
    await approve(talk, turn_id)
    request = (await talk.action("chat/inputRequested"))["request"]
    kinds = {question["kind"] for question in request["questions"]}
    assert {"text", "boolean", "integer", "single-select", "multi-select"} <= kinds
    declined = {"type": "chat/inputCompleted", "requestId": request["id"], "response": "decline"}
    await accepted(talk.client, talk.chat, declined)
    await talk.ended(turn_id)
    assert "declined" in call_in(talk.turn(turn_id))["content"][0]["text"]
