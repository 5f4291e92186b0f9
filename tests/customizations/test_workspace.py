"""Does a session show the customizations that are in its working directories, and follow them?"""

from __future__ import annotations

import json
from pathlib import Path

from tests.conftest import Connect
from tests.customizations.workspaces import Project, every, named, ready, toggle, until, until_state
from tests.interaction.conversation import accepted

SKILL = "---\nname: review\ndescription: Reads what others wrote\ndisable-model-invocation: true\n---\nRead it."
AGENT = '---\nname: tester\ndescription: "Tests: everything"\nmodel: small\ntools:\n  - read\n  - run\n---\nTest.'
RULE = '---\ndescription: Python\napplyTo: "**/*.py, **/*.pyi"\n---\nUse types.'


async def test_the_conventional_places_are_shown(connect: Connect, project: Project) -> None:
    project.write("AGENTS.md", "Be kind.")
    project.write(".agents/skills/review/SKILL.md", SKILL)
    project.write(".claude/agents/tester.md", AGENT)
    project.write(".github/instructions/python.instructions.md", RULE)
    project.write(".github/prompts/ask.prompt.md", "Ask.")
    project.write(".github/hooks/format.json", "{}")
    talk = await project.session(await connect("alice"))
    await until(talk, "review")
    shown = {item["name"]: item for item in every(talk)}
    skill, agent, rule = shown["review"], shown["tester"], shown["python"]
    assert (skill["type"], skill["description"]) == ("skill", "Reads what others wrote")
    assert skill["disableModelInvocation"] is True
    assert skill["uri"] == f"{project.uri}/.agents/skills/review/SKILL.md"
    assert (agent["type"], agent["model"], agent["tools"]) == ("agent", "small", ["read", "run"])
    assert agent["description"] == "Tests: everything"
    assert (rule["type"], rule["globs"]) == ("rule", ["**/*.py", "**/*.pyi"])
    assert (shown["AGENTS"]["type"], shown["AGENTS"]["alwaysApply"]) == ("rule", True)
    assert (shown["ask"]["type"], shown["format"]["type"]) == ("prompt", "hook")
    directory = shown[".agents/skills"]
    assert (directory["type"], directory["contents"], directory["enabled"]) == ("directory", "skill", True)
    assert directory["load"] == {"kind": "loaded"}
    assert len({item["id"] for item in every(talk)}) == len(shown)


async def test_a_new_file_appears_and_a_deleted_one_goes(connect: Connect, project: Project) -> None:
    project.write("AGENTS.md", "Be kind.")
    talk = await project.session(await connect("alice"))
    await until(talk, "AGENTS")
    project.write(".agents/skills/review/SKILL.md", SKILL)
    await until(talk, "review")
    project.write(".agents/skills/second/SKILL.md", "Just text.")
    await until(talk, "second")
    (project.path / ".agents/skills/review/SKILL.md").unlink()
    await talk.client.until(lambda: named(talk, "review") is None or None, "the end of the skill")
    assert named(talk, "second") is not None


async def test_a_file_that_a_client_writes_appears(connect: Connect, project: Project) -> None:
    talk = await project.session(await connect("alice"))
    written = f"{project.uri}/.agents/rules/short.md"
    await talk.client.request("resourceMkdir", {"uri": f"{project.uri}/.agents/rules"})
    await talk.client.request("resourceWrite", {"uri": written, "data": RULE, "encoding": "utf-8"})
    assert (await until(talk, "short"))["description"] == "Python"


async def test_what_was_switched_off_stays_off_when_files_change(connect: Connect, project: Project) -> None:
    project.write(".agents/skills/review/SKILL.md", SKILL)
    talk = await project.session(await connect("alice"))
    skill = await until(talk, "review")
    await accepted(talk.client, talk.session, toggle(skill["id"], False))
    project.write(".agents/skills/second/SKILL.md", "Just text.")
    await until(talk, "second")
    off = named(talk, "review")
    assert off is not None
    assert off["enabled"] is False


async def test_a_file_that_cannot_be_read_is_named_and_the_others_are_there(connect: Connect, project: Project) -> None:
    project.write(".agents/rules/good.md", "Good.")
    project.write(".agents/rules/bad.md", "---\nname: bad\nno end")
    talk = await project.session(await connect("alice"))
    directory = await until(talk, ".agents/rules")
    assert directory["load"]["kind"] == "degraded"
    assert "bad.md" in directory["load"]["message"]
    assert [child["name"] for child in directory["children"]] == ["good"]


async def test_broken_declarations_are_shown_where_they_are(connect: Connect, project: Project) -> None:
    project.write(".mcp.json", "{")
    talk = await project.session(await connect("alice"))
    broken = await until_state(talk, ".mcp.json", "error")
    assert "not JSON" in broken["state"]["error"]["message"]
    project.declare(notes=project.notes())
    await until_state(talk, "notes", "stopped")
    assert named(talk, ".mcp.json") is None


async def test_a_plugin_of_the_workspace_brings_its_children_and_servers(connect: Connect, project: Project) -> None:
    notes = project.notes()
    folder = ".agents/plugins/desk"
    project.write(f"{folder}/.claude-plugin/plugin.json", json.dumps({"name": "Desk", "version": "1.2.0"}))
    project.write(f"{folder}/skills/review/SKILL.md", SKILL)
    program = str(project.path / "notes_server.py")
    server = {**notes, "args": [program], "env": {"ROOT": "${CLAUDE_PLUGIN_ROOT}"}}
    project.write(f"{folder}/.mcp.json", json.dumps({"mcpServers": {"desk-notes": server}}))
    talk = await project.session(await connect("alice"))
    plugin = await until(talk, "Desk")
    assert (plugin["type"], plugin["version"], plugin["load"]) == ("plugin", "1.2.0", {"kind": "loaded"})
    assert {child["type"] for child in plugin["children"]} == {"skill", "mcpServer"}
    await ready(talk, "desk-notes")
    await accepted(talk.client, talk.session, toggle(plugin["id"], False))
    await until_state(talk, "desk-notes", "stopped")


async def test_links_that_lead_out_show_nothing(connect: Connect, project: Project, tmp_path: Path) -> None:
    (tmp_path / "SKILL.md").write_text(SKILL)
    (project.path / ".agents" / "skills").mkdir(parents=True)
    (project.path / ".agents" / "skills" / "leak").symlink_to(tmp_path)
    (project.path / "AGENTS.md").symlink_to(tmp_path / "SKILL.md")
    project.write(".agents/skills/own/SKILL.md", "Own.")
    talk = await project.session(await connect("alice"))
    await until(talk, "own")
    assert {"review", "AGENTS"}.isdisjoint(item["name"] for item in every(talk))


async def test_a_session_without_any_has_none(connect: Connect, project: Project) -> None:
    talk = await project.session(await connect("alice"))
    project.write("README.md", "Nothing of interest.")
    project.write("src/skills/no/SKILL.md", SKILL)
    assert (await talk.say("say hello"))["state"] == "complete"
    assert "customizations" not in talk.session_state
