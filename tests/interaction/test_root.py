"""What does the root channel tell, and what do the methods beside it?"""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.client import ROOT, Client, Message
from tests.conftest import Connect
from tests.interaction.conftest import Agrees
from tests.interaction.conversation import BUSY, Talk, accepted, begin, new_session, refusal, state_of
from tests.interaction.requirements import covers


@covers("root.state")
async def test_the_root_shows_the_agents(connect: Connect) -> None:
    agents = {agent["provider"]: agent for agent in state_of(await connect("alice", ROOT), ROOT)["agents"]}
    assert {"demo", "demo-protected"} <= agents.keys()
    demo = agents["demo"]
    assert demo["models"]
    assert all(model["provider"] == "demo" for model in demo["models"])
    assert demo["capabilities"]["multipleChats"] == {"fork": True, "sideChat": True}
    assert "multipleWorkingDirectories" in demo["capabilities"]
    assert agents["demo-protected"]["protectedResources"][0]["resource"].endswith("/agents/demo-protected")


@covers("root.state", "actions.converge")
async def test_the_root_counts_sessions(connect: Connect, agrees: Agrees) -> None:
    client = await connect("alice", ROOT)
    before = state_of(client, ROOT)["activeSessions"]
    talk = await begin(client)
    await client.action(ROOT, "root/activeSessionsChanged", activeSessions=before + 1)
    await agrees(client, ROOT)
    await client.request("disposeSession", {"channel": talk.session})
    await client.action(ROOT, "root/activeSessionsChanged", activeSessions=before)


@covers("root.list")
async def test_the_latest_session_comes_first(connect: Connect) -> None:
    client = await connect()
    talks = [await begin(client) for _ in range(3)]
    await talks[0].say("say newest now")
    listed = (await client.request("listSessions", {}))["items"]
    ours = [one["resource"] for one in listed if one["resource"] in {talk.session for talk in talks}]
    assert ours == [talks[0].session, talks[2].session, talks[1].session]
    moments = [one["modifiedAt"] for one in listed]
    assert moments == sorted(moments, reverse=True)


@covers("root.pages")
async def test_pages_join_while_sessions_move(connect: Connect) -> None:
    client = await connect()
    talks = [await begin(client) for _ in range(7)]
    page = await client.request("listSessions", {"limit": 3})
    seen = [one["resource"] for one in page["items"]]
    # One that was seen and one that was not move to the front meanwhile: neither makes a gap nor an overlap.
    await asyncio.gather(talks[-1].say("say seen"), talks[0].say("say moved past us"))
    while "nextCursor" in page:
        page = await client.request("listSessions", {"limit": 3, "cursor": page["nextCursor"]})
        assert 0 < len(page["items"]) <= 3
        seen += [one["resource"] for one in page["items"]]
    assert len(seen) == len(set(seen))
    assert {talk.session for talk in talks[1:]} <= set(seen)


@covers("root.pages")
@pytest.mark.parametrize(
    "cursor", ["", "x", "nonsense", "AAAA", "LTU6eA==", "8J+YgA==", "MTIzOgB4", "OTk5OTk5OTk5OTk5OTk5OTk5OTk5Ong="]
)
async def test_a_bad_cursor_is_refused(connect: Connect, cursor: str) -> None:
    error = await (await connect()).refused("listSessions", {"cursor": cursor})
    assert error.code == -32602


@covers("root.pages")
@pytest.mark.parametrize("limit", [0, -1])
async def test_a_page_holds_something(connect: Connect, limit: int) -> None:
    assert (await (await connect()).refused("listSessions", {"limit": limit})).code == -32602


@covers("root.no-limit")
async def test_without_a_limit_there_is_no_next_page_for_long(connect: Connect) -> None:
    client = await connect()
    uris = [new_session() for _ in range(60)]
    started = [await client.start("createSession", {"channel": uri}) for uri in uris]
    assert [await client.reply(one) for one in started] == [None] * 60
    page = await client.request("listSessions")
    assert set(uris) <= {one["resource"] for one in page["items"]}
    assert "nextCursor" not in page
    await asyncio.gather(*[client.request("disposeSession", {"channel": uri}) for uri in uris])


@covers("root.notices")
async def test_sessions_are_announced_changed_and_removed(connect: Connect) -> None:
    bob, alice = await connect("bob", ROOT), await connect("alice")
    talk = await begin(alice)
    summary = await bob.until(lambda: added(bob, talk.session), "root/sessionAdded")
    listed = (await bob.request("listSessions", {}))["items"]
    assert summary.keys() <= next(one for one in listed if one["resource"] == talk.session).keys()
    assert {"resource", "provider", "title", "status", "createdAt", "modifiedAt"} <= summary.keys()
    assert None not in summary.values()
    await accepted(alice, talk.session, {"type": "session/titleChanged", "title": "Renamed"})
    changed = await bob.until(lambda: change(bob, talk.session, "title"), "a changed title")
    assert changed == {"title": "Renamed"}
    await alice.request("disposeSession", {"channel": talk.session})
    await bob.notification("root/sessionRemoved", session=talk.session)


def added(client: Client, session: str) -> Message | None:
    """The summary of a session that was announced."""
    found = (one["params"]["summary"] for one in client.notifications if one["method"] == "root/sessionAdded")
    return next((summary for summary in found if summary["resource"] == session), None)


def changes(client: Client, session: str) -> list[Message]:
    """What was told of a session's changes."""
    told = [one["params"] for one in client.notifications if one["method"] == "root/sessionSummaryChanged"]
    return [one["changes"] for one in told if one["session"] == session]


def change(client: Client, session: str, field: str) -> Message | None:
    """The first change of a field."""
    return next((one for one in changes(client, session) if field in one), None)


@covers("root.changes")
async def test_a_change_tells_only_what_changed(talk: Talk, connect: Connect) -> None:
    bob = await connect("bob", ROOT)
    await talk.say("say hello\ntype nothing")
    await accepted(talk.client, talk.session, {"type": "session/isArchivedChanged", "isArchived": True})
    await bob.until(lambda: any(one.get("status", 0) & 64 for one in changes(bob, talk.session)), "an archived session")
    told = changes(bob, talk.session)
    assert {field for one in told for field in one} <= {"status", "modifiedAt", "activity", "title"}
    assert all(told)
    summary = next(one for one in (await bob.request("listSessions", {}))["items"] if one["resource"] == talk.session)
    final = {field: value for one in told for field, value in one.items() if value is not None}
    assert final.items() <= summary.items()


@covers("root.changes")
async def test_a_field_that_was_cleared_is_told_as_null(talk: Talk, connect: Connect) -> None:
    bob = await connect("bob", ROOT)
    (only,) = talk.session_state["workingDirectories"]
    (in_chat,) = talk.chat_state["workingDirectories"]
    assert only == in_chat
    await accepted(talk.client, talk.chat, {"type": "chat/workingDirectoryRemoved", "directory": only})
    await accepted(talk.client, talk.session, {"type": "session/workingDirectoryRemoved", "directory": only})
    told = await bob.until(lambda: change(bob, talk.session, "workingDirectories"), "a change of directories")
    listed = next(one for one in (await bob.request("listSessions", {}))["items"] if one["resource"] == talk.session)
    assert told["workingDirectories"] == listed.get("workingDirectories")


@covers("root.config")
async def test_the_configuration_comes_whole_each_time(connect: Connect) -> None:
    client = await connect()
    empty = await client.request("resolveSessionConfig", {"provider": "demo"})
    given = await client.request("resolveSessionConfig", {"config": {"visibility": "private", "unknown": 1}})
    assert empty["schema"] == given["schema"]
    assert empty["schema"]["properties"]["visibility"]["sessionMutable"] is True
    assert (empty["values"], given["values"]) == ({"visibility": "tenant"}, {"visibility": "private"})
    assert (await client.refused("resolveSessionConfig", {"config": {"visibility": "world"}})).code == -32602
    assert (await client.refused("resolveSessionConfig", {"provider": "nobody"})).code == -32002


@pytest.fixture
async def repository(connect: Connect) -> str:
    """The URI of a git repository in the tenant's directory, with the branches main and topic."""
    root: str = (await connect()).frames[0]["result"]["defaultDirectory"]
    uri = f"{root}/{new_session().rpartition('/')[2]}"
    await asyncio.to_thread(make_repository, Path(unquote(urlsplit(uri).path)))
    return uri


def make_repository(path: Path) -> None:
    """A git repository with one empty commit."""
    path.mkdir(parents=True)
    who = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    commit = (*who, "commit", "-q", "--allow-empty", "-m", "first")
    for command in (("init", "-q", "-b", "main"), commit, ("branch", "topic")):
        subprocess.run(["git", *command], cwd=path, check=True)


@covers("root.git")
async def test_a_repository_offers_a_worktree_and_its_branches(connect: Connect, repository: str) -> None:
    client = await connect()
    plain = await client.request("resolveSessionConfig", {"workingDirectory": repository})
    assert plain["schema"]["properties"]["target"]["enum"] == ["workspace", "worktree"]
    assert plain["values"]["target"] == "workspace"
    assert "baseBranch" not in plain["schema"]["properties"]
    tree = {"workingDirectory": repository, "config": {"target": "worktree"}}
    resolved = await client.request("resolveSessionConfig", tree)
    assert list(resolved["schema"]["properties"])[-2:] == ["target", "baseBranch"]
    assert resolved["schema"]["properties"]["baseBranch"]["enumDynamic"] is True
    assert resolved["values"] == {"visibility": "tenant", "target": "worktree", "baseBranch": "main"}
    found = await client.request("sessionConfigCompletions", {**tree, "property": "baseBranch", "query": "TOP"})
    assert [item["value"] for item in found["items"]] == ["topic"]
    everything = await client.request("sessionConfigCompletions", {**tree, "property": "baseBranch"})
    assert {item["value"] for item in everything["items"]} == {"main", "topic"}


@covers("root.git")
async def test_a_session_can_begin_in_a_worktree(connect: Connect, repository: str) -> None:
    config = {"target": "worktree", "baseBranch": "topic"}
    talk = await begin(await connect(), workingDirectories=[repository], config=config)
    assert talk.session_state["lifecycle"] == "ready"
    assert talk.session_state["config"]["values"] == {"visibility": "tenant", **config}
    unmovable = {"type": "session/configChanged", "config": {"target": "workspace"}}
    assert await refusal(talk.client, talk.session, unmovable)


@covers("root.git")
@pytest.mark.parametrize("name", ["visibility", "target", "noSuchProperty"])
async def test_only_dynamic_properties_are_completed(connect: Connect, name: str) -> None:
    assert (await (await connect()).refused("sessionConfigCompletions", {"property": name})).code == -32602


@covers("root.progress")
async def test_progress_rises_to_its_total(connect: Connect) -> None:
    asker, other = await connect("alice", ROOT), await connect("alice", ROOT)
    await begin(asker, progressToken="token 1")
    await asker.until(lambda: any(one["progress"] == one["total"] for one in progress(asker)), "the last progress")
    await begin(asker)
    told = progress(asker)
    assert {one["progressToken"] for one in told} == {"token 1"}
    assert [one["progress"] for one in told] == sorted(one["progress"] for one in told)
    assert [one["progress"] == one["total"] for one in told] == [False] * (len(told) - 1) + [True]
    await other.fence()
    assert progress(other) == []


def progress(client: Client) -> list[Message]:
    """What the client was told of progress."""
    return [one["params"] for one in client.notifications if one["method"] == "root/progress"]


@covers("root.config-changed")
@pytest.mark.parametrize("config", [{"noSuchProperty": 1}, {"visibility": "private"}])
async def test_what_the_roots_schema_lacks_is_refused(connect: Connect, config: Message) -> None:
    client, other = await connect("alice", ROOT), await connect("bob", ROOT)
    for _ in range(10):
        assert await refusal(client, ROOT, {"type": "root/configChanged", "config": config})
    talk = await begin(client)
    await other.until(lambda: added(other, talk.session), "root/sessionAdded")
    assert "root/configChanged" not in [one["action"]["type"] for one in other.envelopes]
    assert await talk.start(BUSY)
