"""Are the plugins that a client publishes read from it, shown, and gone with it?"""

from __future__ import annotations

from typing import Any

from tests.client import Client, Message, RpcError
from tests.conftest import Connect
from tests.customizations.workspaces import Project, named, toggle, until
from tests.interaction.conversation import Talk, accepted

FILES = {
    "plugin.json": '{"name": "Editor", "version": "2.0.1"}',
    "skills/review/SKILL.md": "---\nname: review\ndescription: Looks at it\n---\nLook.",
    "rules/short.md": "Be short.",
}


def serves(files: dict[str, str], base: str) -> Any:
    """What answers the host's requests with these files."""

    def serve(method: str, params: Message) -> Message:
        name = params["uri"].removeprefix(base).strip("/")
        if method == "resourceRead" and name in files:
            return {"data": files[name], "encoding": "utf-8"}
        below = [path[len(name) :].lstrip("/") for path in files if path.startswith(f"{name}/" if name else "")]
        if method == "resourceList" and below:
            entries = {path.split("/")[0]: "directory" if "/" in path else "file" for path in below}
            return {"entries": [{"name": entry, "type": kind} for entry, kind in entries.items()]}
        raise RpcError({"code": -32008, "message": "nothing here"})

    return serve


def plugin(client: Client, **more: Any) -> Message:
    uri = f"virtual://{client.client_id}/plugin"
    return {"type": "plugin", "id": "editor", "uri": uri, "name": "Editor", "enabled": True, **more}


def active(client: Client, *plugins: Message) -> Message:
    me = {"clientId": client.client_id, "tools": [], "customizations": list(plugins)}
    return {"type": "session/activeClientSet", "activeClient": me}


async def published(connect: Connect, project: Project, files: dict[str, str], **more: Any) -> Talk:
    client = await connect("alice")
    client.serve = serves(files, f"virtual://{client.client_id}/plugin")
    talk = await project.session(client)
    await accepted(client, talk.session, active(client, plugin(client, **more)))
    return talk


async def test_a_published_plugin_is_loaded_from_its_client(connect: Connect, project: Project) -> None:
    talk = await published(connect, project, FILES, nonce="1")
    shown = await until(talk, "Editor", lambda item: item["load"]["kind"] == "loaded")
    assert (shown["id"], shown["clientId"], shown["version"]) == ("editor", talk.client.client_id, "2.0.1")
    children = {child["name"]: child["type"] for child in shown["children"]}
    assert children == {"review": "skill", "short": "rule"}
    assert shown["children"][0]["uri"] == f"virtual://{talk.client.client_id}/plugin/skills/review/SKILL.md"
    await accepted(talk.client, talk.session, toggle("editor", False))
    off = named(talk, "Editor")
    assert off is not None
    assert off["enabled"] is False


async def test_another_nonce_is_read_again_and_the_same_is_not(connect: Connect, project: Project) -> None:
    files = dict(FILES)
    talk = await published(connect, project, files, nonce="1")
    await until(talk, "Editor", lambda item: item["load"]["kind"] == "loaded")
    asked = len([frame for frame in talk.client.frames if frame.get("method", "").startswith("resource")])
    await accepted(talk.client, talk.session, active(talk.client, plugin(talk.client, nonce="1")))
    files["rules/long.md"] = "Be long."
    await accepted(talk.client, talk.session, active(talk.client, plugin(talk.client, nonce="2")))
    await until(talk, "long")
    again = len([frame for frame in talk.client.frames if frame.get("method", "").startswith("resource")])
    assert 0 < again - asked <= asked + 2


async def test_a_plugin_goes_with_its_client(connect: Connect, project: Project) -> None:
    talk = await published(connect, project, FILES)
    await until(talk, "review")
    gone = {"type": "session/activeClientRemoved", "clientId": talk.client.client_id}
    await accepted(talk.client, talk.session, gone)
    await talk.client.action(talk.session, "session/customizationRemoved", id="editor")
    assert named(talk, "review") is None


async def test_a_plugin_that_is_not_there_is_an_error(connect: Connect, project: Project) -> None:
    talk = await published(connect, project, {})
    shown = await until(talk, "Editor", lambda item: item["load"]["kind"] == "error")
    assert "no plugin" in shown["load"]["message"]


async def test_nobody_gets_at_what_another_client_serves(connect: Connect, project: Project) -> None:
    victim = await connect("bob")
    victim.serve = serves(FILES, f"virtual://{victim.client_id}/plugin")
    client = await connect("alice")
    talk = await project.session(client)
    stolen = {**plugin(client), "uri": f"virtual://{victim.client_id}/plugin"}
    remote = {**plugin(client), "id": "remote", "name": "Remote", "uri": "https://plugins.example/one"}
    await accepted(client, talk.session, active(client, stolen, remote))
    for name in ("Editor", "Remote"):
        shown = await until(talk, name, lambda item: item["load"]["kind"] == "error")
        assert "virtual://" in shown["load"]["message"]
    await victim.fence()
    assert not [frame for frame in victim.frames if frame.get("method", "").startswith("resource")]


async def test_a_client_that_does_not_answer_holds_up_nobody(connect: Connect, project: Project) -> None:
    project.write("AGENTS.md", "Be kind.")
    client = await connect("alice")
    talk = await project.session(client)

    async def silent(request: Message) -> None:
        """Say nothing."""

    client._answer = silent  # type: ignore[method-assign]
    await accepted(client, talk.session, active(client, plugin(client)))
    assert (await until(talk, "Editor"))["load"] == {"kind": "loading"}
    await until(talk, "AGENTS")
    project.write(".agents/rules/second.md", "Be quick.")
    await until(talk, "second")
