"""Are watches bounded in what they cost and send, and do they end with the right to look? CASES.md 26."""

from __future__ import annotations

import asyncio
import uuid
from pathlib import Path

import psycopg
import pytest

from ahp_platform.workspaces.fence import Fence
from changesets_app.watches import tree as trees
from changesets_app.watches import watch as one_watch
from changesets_app.watches.inotify import Inotify, TooMuch
from changesets_app.watches.tree import MAX_CHANGES, Place, WatchedTree
from tests.client import Client
from tests.conftest import Connect
from tests.files.conftest import Desk
from tests.files.test_resources import own_directory
from tests.files.test_watches import changes, seen, until_gone, watch
from tests.interaction.conversation import accepted
from tests.service import RunningService


def test_what_is_excluded_costs_nothing_however_big_it_is(
    fence: Fence, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trees, "MAX_DIRECTORIES", 5)
    for number in range(20):
        (root / f"node_modules/{number}").mkdir(parents=True)
    queue = Inotify()
    everything = WatchedTree(queue, Place(fence, ()), True, lambda _: True, lambda: None)
    with pytest.raises(TooMuch):
        everything.arm()
    everything.close()
    tree = WatchedTree(queue, Place(fence, ()), True, lambda names: "node_modules" not in names, lambda: None)
    tree.arm()
    (root / "node_modules/new").mkdir()
    (root / "node_modules/0/f").touch()
    (root / "f").touch()
    assert changes(tree) == {"f": "added"}
    tree.close()
    queue.close()


async def test_many_changes_come_in_bounded_batches(desk: Desk) -> None:
    channel = await watch(desk.client, desk.uri)
    touch(desk.path, 3 * one_watch.MAX_ITEMS)
    await desk.client.until(lambda: len(added(desk.client, channel)) == 3 * one_watch.MAX_ITEMS, "all of them")
    batches = [one["action"]["changes"]["items"] for one in desk.client.envelopes if one["channel"] == channel]
    assert max(len(batch) for batch in batches) <= one_watch.MAX_ITEMS


async def test_what_is_too_much_to_tell_is_told_as_such(desk: Desk) -> None:
    await desk.call("resourceMkdir", "watched")
    await desk.call("resourceMkdir", "elsewhere")
    touch(desk.path / "elsewhere", MAX_CHANGES + 100)
    channel = await watch(desk.client, f"{desk.uri}/watched", recursive=True)
    (desk.path / "elsewhere").rename(desk.path / "watched/moved")
    told = await desk.client.action(channel, "resourceWatch/changed", _meta={"overflow": True})
    assert {"uri": f"{desk.uri}/watched", "type": "updated"} in told["action"]["changes"]["items"]
    await desk.write("watched/moved/late", "x")
    late = f"{desk.uri}/watched/moved/late"
    await desk.client.until(lambda: (late, "added") in seen(desk.client, channel), "what came afterwards")


def added(client: Client, channel: str) -> set[str]:
    return {uri for uri, kind in seen(client, channel) if kind == "added"}


def touch(folder: Path, count: int) -> None:
    for number in range(count):
        (folder / f"{number:05}").touch()


async def test_a_removed_members_watch_ends(connect: Connect, desk: Desk, service: RunningService) -> None:
    dora = f"dora-{uuid.uuid4().hex[:8]}"
    await asyncio.to_thread(join, service, dora)
    client = await connect(dora)
    channel = await watch(client, desk.uri)
    leave = "DELETE FROM auth_app_membership WHERE user_id = (SELECT id FROM auth_user WHERE username = %s)"
    await asyncio.to_thread(run, service, leave, dora)
    await client.until_closed()
    await until_gone(service, channel)


async def test_a_watch_ends_when_the_session_of_its_directory_becomes_private(
    connect: Connect, service: RunningService
) -> None:
    alice, bob = await connect("alice"), await connect("bob")
    own = await own_directory(alice, "tenant")
    session = newest_session(alice)
    theirs, hers = await watch(bob, own), await watch(alice, own)
    hide = {"type": "session/configChanged", "config": {"visibility": "private"}}
    await accepted(alice, session, hide)
    await until_gone(service, theirs)
    await alice.request("resourceWrite", {"uri": f"{own}/f", "data": "mine", "encoding": "utf-8"})
    await alice.until(lambda: (f"{own}/f", "added") in seen(alice, hers), "her own watch")
    await bob.fence()
    assert seen(bob, theirs) == []


def newest_session(client: Client) -> str:
    """The one that was subscribed last."""
    snapshots = [frame["result"]["snapshot"] for frame in client.frames if "snapshot" in (frame.get("result") or {})]
    return str(snapshots[-1]["resource"])


def join(service: RunningService, username: str) -> None:
    new = (
        "WITH new AS (INSERT INTO auth_user (username, password, is_superuser, is_staff, is_active, first_name, last_name,"
        " email, date_joined) VALUES (%s, '!', false, false, true, '', '', '', now()) RETURNING id) INSERT INTO"
        " auth_app_membership (tenant_id, user_id, role) SELECT t.id, new.id, 'member' FROM auth_app_tenant t, new"
        " WHERE t.slug = 'demo'"
    )
    run(service, new, username)


def run(service: RunningService, statement: str, *params: str) -> None:
    with psycopg.connect(service.env["DATABASE_URL"], autocommit=True) as connection:
        connection.execute(statement, params)
