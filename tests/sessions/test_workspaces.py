"""Does a session get the workspace it asked for, and is it gone with the session?"""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from tests.client import ROOT
from tests.conftest import Connect
from tests.interaction.conversation import begin, new_session, text_of
from tests.service import RunningService


def path(uri: str) -> Path:
    return Path(unquote(urlsplit(uri).path))


def make_repository(service: RunningService, name: str) -> str:
    """A git repository with two branches below the tenant's directory; its URI."""
    folder = Path(service.env["AHP_DATA_DIR"]).resolve() / "workspaces" / "demo" / name
    folder.mkdir(parents=True)
    git = ["git", "-C", str(folder), "-c", "user.name=T", "-c", "user.email=t@example.org"]
    subprocess.run([*git, "init", "-q", "-b", "main"], check=True)
    (folder / "file.txt").write_text("in main")
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-qm", "first"], check=True)
    subprocess.run([*git, "branch", "feature"], check=True)
    return folder.as_uri()


async def test_a_repository_offers_a_worktree_and_then_its_branches(service: RunningService, connect: Connect) -> None:
    alice = await connect("alice")
    where = {"provider": "demo", "workingDirectory": make_repository(service, "offers")}

    plain = await alice.request("resolveSessionConfig", {"provider": "demo"})
    offered = await alice.request("resolveSessionConfig", where)
    chosen = await alice.request("resolveSessionConfig", {**where, "config": {"target": "worktree"}})
    found = await alice.request("sessionConfigCompletions", {**where, "property": "baseBranch", "query": "fea"})

    assert "target" not in plain["schema"]["properties"]
    assert offered["schema"]["properties"]["target"]["enum"] == ["workspace", "worktree"]
    assert chosen["schema"]["required"] == ["baseBranch"]
    assert chosen["values"]["baseBranch"] == "main"
    assert found["items"] == [{"value": "feature", "label": "feature"}]


async def test_a_session_in_a_worktree_leaves_the_repository_alone(service: RunningService, connect: Connect) -> None:
    alice = await connect("alice", ROOT)
    repository = make_repository(service, "alone")
    config = {"target": "worktree", "baseBranch": "feature"}
    talk = await begin(alice, workingDirectories=[repository], config=config, progressToken="made")

    (worktree,) = talk.session_state["workingDirectories"]
    turn_id = await talk.start("tool note.txt hello")
    call = await talk.action("chat/toolCallReady", turnId=turn_id)
    approved = {"approved": True, "confirmed": "user-action", "toolCallId": call["toolCallId"], "turnId": turn_id}
    await alice.dispatch(talk.chat, {"type": "chat/toolCallConfirmed", **approved})
    await talk.ended(turn_id)

    assert worktree != repository
    assert (path(worktree) / "file.txt").read_text() == "in main"
    assert "hello" in (path(worktree) / "note.txt").read_text()
    assert not (path(repository) / "note.txt").exists()
    progress = [n["params"] for n in alice.notifications if n["method"] == "root/progress"]
    assert [p["progress"] for p in progress] == sorted(p["progress"] for p in progress)
    assert progress[-1]["progress"] == progress[-1]["total"]


async def test_what_a_session_had_for_itself_is_gone_for_the_next_with_its_uri(connect: Connect) -> None:
    alice, bob = await connect("alice"), await connect("bob")
    uri = new_session()
    talk = await begin(alice, uri)
    (own,) = talk.session_state["workingDirectories"]
    (path(own) / "secret.txt").write_text("alice's")

    await alice.request("disposeSession", {"channel": uri})
    again = await begin(bob, uri)

    assert again.session_state["workingDirectories"] == [own]
    assert list(path(own).iterdir()) == []
    assert text_of(await again.say("say fresh")) == "fresh"


async def test_a_worktree_of_no_branch_is_refused(service: RunningService, connect: Connect) -> None:
    alice = await connect("alice")
    params: dict[str, Any] = {"workingDirectories": [make_repository(service, "refused")]}
    config = {"target": "worktree", "baseBranch": "nowhere"}

    error = await alice.refused(
        "createSession", {"channel": new_session(), "provider": "demo", "config": config, **params}
    )

    assert error.code == -32602
