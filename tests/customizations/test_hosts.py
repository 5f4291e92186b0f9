"""Do MCP servers serve whoever asks, in whichever process, and is it seen when the process that runs them dies?"""

from __future__ import annotations

import psutil

from tests.conftest import Connect
from tests.customizations.workspaces import Project, approve, call_in, ready, start, until, until_state
from tests.interaction.conversation import accepted
from tests.service import RunningService

HOSTS = ("host-1", "host-2")


def host_of(cluster: RunningService, project: Project) -> str:
    """The host process whose descendant runs for the project."""
    for name in HOSTS:
        for process in psutil.Process(cluster.pid(name)).children(recursive=True):
            if str(project.path) in " ".join(process.cmdline()):
                return name
    raise AssertionError("no host runs it")


async def test_every_process_reaches_the_server(cluster: RunningService, connect_cluster: Connect) -> None:
    project = Project(cluster)
    project.declare(notes=project.notes())
    first, second = cluster.web_ports()
    talk = await project.session(await connect_cluster("alice", port=first))
    channel = (await ready(talk, "notes"))["channel"]
    bobs = await talk.joined_by(await connect_cluster("bob", port=second))
    await bobs.client.request("subscribe", {"channel": channel})
    for client in (talk.client, bobs.client):
        asked = {"channel": channel, "name": "echo", "arguments": {"text": "hello"}}
        assert (await client.request("tools/call", asked))["content"][0]["text"] == "hello"
    await talk.client.request("tools/call", {"channel": channel, "name": "grow"})
    await bobs.client.notification("notifications/tools/list_changed")
    # Turns are taken by whichever host is quicker: some of these run beside the server, some elsewhere.
    chats = [await bobs.another_chat() for _ in range(6)]
    turns = [(chat, await chat.start('mcp notes echo {"text": "from a turn"}')) for chat in chats]
    for chat, turn_id in turns:
        await approve(chat, turn_id)
    for chat, turn_id in turns:
        await chat.ended(turn_id)
        assert call_in(chat.turn(turn_id))["content"][0]["text"] == "from a turn"


async def test_a_dead_host_stops_its_servers_and_another_starts_them_again(
    cluster: RunningService, connect_cluster: Connect
) -> None:
    project = Project(cluster)
    project.declare(notes=project.notes())
    talk = await project.session(await connect_cluster("alice"))
    server = await ready(talk, "notes")
    since = len(talk.client.envelopes)
    host = host_of(cluster, project)
    dead = cluster.pid(host)
    cluster.kill(host)
    stopped = {"kind": "stopped"}
    await talk.client.action(talk.session, "session/mcpServerStateChanged", since, 40, id=server["id"], state=stopped)
    assert "channel" not in await until_state(talk, "notes", "stopped")
    assert (await talk.client.refused("tools/list", {"channel": server["channel"]})).code == -32008
    await accepted(talk.client, talk.session, start(server["id"]))
    await until_state(talk, "notes", "ready", within_s=40)
    assert (await talk.client.request("tools/list", {"channel": server["channel"]}))["tools"]
    cluster.wait_restarted(host, dead)
    project.write(".agents/rules/new.md", "Be new.")
    await until(talk, "new")
