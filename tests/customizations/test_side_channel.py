"""What may a client ask an MCP server directly, and who may?"""

from __future__ import annotations

from tests.client import VERSION, Message
from tests.conftest import Connect
from tests.customizations.workspaces import Project, ready, stop, until_state
from tests.interaction.conversation import accepted


def echo(channel: str, text: str) -> Message:
    return {"channel": channel, "name": "echo", "arguments": {"text": text}}


async def test_the_channel_serves_what_is_advertised_as_the_server_says_it(connect: Connect, project: Project) -> None:
    project.declare(notes=project.notes())
    talk = await project.session(await connect("alice"))
    channel = (await ready(talk, "notes"))["channel"]
    tools = await talk.client.request("tools/list", {"channel": channel})
    assert "echo" in {tool["name"] for tool in tools["tools"]}
    result = await talk.client.request("tools/call", echo(channel, "hello"))
    assert result == {"content": [{"type": "text", "text": "hello"}], "structuredContent": {"echoed": "hello"}}
    listed = await talk.client.request("resources/list", {"channel": channel})
    read = await talk.client.request("resources/read", {"channel": channel, "uri": listed["resources"][0]["uri"]})
    assert read["contents"][0]["text"] == "Buy paper."


async def test_whatever_is_not_advertised_is_no_method(connect: Connect, project: Project) -> None:
    project.declare(notes=project.notes())
    talk = await project.session(await connect("alice"))
    channel = (await ready(talk, "notes"))["channel"]
    for method in ("prompts/list", "sampling/createMessage", "logging/setLevel", "completion/complete", "tools/no"):
        assert (await talk.client.refused(method, {"channel": channel})).code == -32601
    # Ours are ours, whatever channel they name; a channel that was never there is a missing one.
    assert (await talk.client.refused("initialize", {"channel": channel})).code == -32600
    assert (await talk.client.refused("tools/list", {"channel": "mcp://nobody/nothing"})).code == -32008
    assert (await talk.client.refused("tools/list", {"channel": talk.session})).code == -32601


async def test_an_error_of_the_server_comes_as_it_is(connect: Connect, project: Project) -> None:
    project.declare(notes=project.notes())
    talk = await project.session(await connect("alice"))
    channel = (await ready(talk, "notes"))["channel"]
    refused = await talk.client.refused("resources/templates/list", {"channel": channel})
    assert (refused.code, refused.data) == (-32099, {"shelf": 3})


async def test_a_stopped_server_has_no_channel(connect: Connect, project: Project) -> None:
    project.declare(notes=project.notes())
    talk = await project.session(await connect("alice"))
    server = await ready(talk, "notes")
    await accepted(talk.client, talk.session, stop(server["id"]))
    await until_state(talk, "notes", "stopped")
    assert (await talk.client.refused("tools/list", {"channel": server["channel"]})).code == -32008
    assert (await ready(talk, "notes"))["channel"] == server["channel"]
    await talk.client.request("tools/list", {"channel": server["channel"]})


async def test_who_follows_the_channel_hears_what_the_server_announces(connect: Connect, project: Project) -> None:
    project.declare(notes=project.notes())
    talk = await project.session(await connect("alice"))
    channel = (await ready(talk, "notes"))["channel"]
    assert await talk.client.request("subscribe", {"channel": channel}) == {}
    listener = await connect("bob", initialize=False)
    told = await listener.initialize(channel)
    assert (told["protocolVersion"], told["snapshots"]) == (VERSION, [])
    await talk.client.request("tools/call", {"channel": channel, "name": "grow"})
    for client in (talk.client, listener):
        heard = await client.notification("notifications/tools/list_changed")
        assert heard == {"channel": channel}
    await listener.notify("unsubscribe", {"channel": channel})
    await listener.fence()
    await talk.client.request("tools/call", {"channel": channel, "name": "grow"})
    await talk.client.until(lambda: len(talk.client.notifications) > 1 or None, "the second notice")
    await listener.fence()
    assert [one["method"] for one in listener.notifications].count("notifications/tools/list_changed") == 1


async def test_viewers_look_and_do_not_call(connect: Connect, project: Project) -> None:
    project.declare(notes=project.notes())
    talk = await project.session(await connect("alice"))
    channel = (await ready(talk, "notes"))["channel"]
    viewer = await connect("vera")
    assert (await viewer.request("tools/list", {"channel": channel}))["tools"]
    assert (await viewer.refused("tools/call", echo(channel, "hello"))).code == -32009


async def test_others_cannot_tell_the_channel_from_a_missing_one(connect: Connect, project: Project) -> None:
    project.declare(notes=project.notes())
    config = {"visibility": "private"}
    talk = await project.session(await connect("alice"), config=config)
    channel = (await ready(talk, "notes"))["channel"]
    missing = f"{channel[:-4]}0000"
    for user in ("bob", "carol"):
        client = await connect(user)
        for method in ("tools/list", "tools/call", "subscribe", "prompts/list"):
            asked = await client.refused(method, {"channel": channel})
            nothing = await client.refused(method, {"channel": missing})
            assert (asked.code, str(asked)) == (nothing.code, str(nothing))
            assert asked.code == -32008
        assert (await client.refused("subscribe", {"channel": talk.session})).code == -32001


async def test_a_session_that_becomes_private_takes_the_channel_along(connect: Connect, project: Project) -> None:
    project.declare(notes=project.notes())
    talk = await project.session(await connect("alice"))
    channel = (await ready(talk, "notes"))["channel"]
    bob = await connect("bob")
    await bob.request("subscribe", {"channel": channel})
    private = {"type": "session/configChanged", "config": {"visibility": "private"}}
    await accepted(talk.client, talk.session, private)
    assert (await bob.refused("tools/list", {"channel": channel})).code == -32008
