"""Do watches report what changes inside, nothing else, and end when nobody listens?"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.conf import settings

from ahp_platform.workspaces.fence import Fence
from changesets_app.watches import tree as trees
from changesets_app.watches.inotify import Inotify
from changesets_app.watches.tree import ADDED, DELETED, UPDATED, Place, WatchedTree
from tests.client import Client
from tests.conftest import Connect
from tests.files.conftest import Desk
from tests.service import RunningService


@pytest.fixture
def tree(fence: Fence) -> Iterator[WatchedTree]:
    """A recursive watch of the whole root, without `skipped`."""
    queue = Inotify()
    made = WatchedTree(queue, Place(fence, ()), True, lambda names: "skipped" not in names, lambda: None)
    made.arm()
    yield made
    made.close()
    queue.close()


def changes(tree: WatchedTree) -> dict[str, str]:
    return {"/".join(names): kind for names, kind in tree.take().items.items()}


def test_what_happens_to_files_is_told_in_one_word(tree: WatchedTree, root: Path) -> None:
    (root / "new").write_text("x")
    (root / "passing").write_text("x")
    (root / "passing").unlink()
    # Somebody may have listed the directory while it was there.
    assert changes(tree) == {"new": ADDED, "passing": DELETED}
    (root / "new").write_text("y")
    (root / "other").write_text("z")
    (root / "other").rename(root / "new")
    assert changes(tree) == {"new": UPDATED, "other": DELETED}
    (root / "new").rename(root / "named")
    assert changes(tree) == {"new": DELETED, "named": ADDED}
    assert changes(tree) == {}


def test_new_directories_are_watched_with_what_is_in_them_already(tree: WatchedTree, root: Path) -> None:
    (root / "a/b").mkdir(parents=True)
    (root / "a/b/early").touch()
    assert changes(tree) == {"a": ADDED, "a/b": ADDED, "a/b/early": ADDED}
    (root / "a/b/late").touch()
    assert changes(tree) == {"a/b/late": ADDED}
    (root / "a").rename(root / "c")
    moved = changes(tree)
    assert {path for path, kind in moved.items() if kind == DELETED} == {"a", "a/b", "a/b/early", "a/b/late"}
    assert {path for path, kind in moved.items() if kind == ADDED} == {"c", "c/b", "c/b/early", "c/b/late"}
    (root / "c/b/early").unlink()
    assert changes(tree) == {"c/b/early": DELETED}


def test_links_and_excluded_directories_are_not_entered(tree: WatchedTree, root: Path, outside: Path) -> None:
    (root / "link").symlink_to(outside)
    (root / "skipped/deep").mkdir(parents=True)
    assert changes(tree) == {"link": ADDED}
    (outside / "secret").write_text("changed")
    (root / "skipped/deep/f").touch()
    assert changes(tree) == {}


def test_links_that_were_there_before_are_not_entered(tree: WatchedTree, root: Path, outside: Path) -> None:
    (root / "link").symlink_to(outside)
    tree.close()
    tree = WatchedTree(Inotify(), Place(Fence(root, root), ()), True, lambda _: True, lambda: None)
    tree.arm()
    (outside / "secret").write_text("changed")
    assert changes(tree) == {}


def test_two_watches_of_one_directory_hear_the_same_and_end_apart(fence: Fence, root: Path) -> None:
    queue = Inotify()
    first, second = (WatchedTree(queue, Place(fence, ()), True, lambda _: True, lambda: None) for _ in "ab")
    first.arm()
    second.arm()
    (root / "f").touch()
    assert (changes(first), changes(second)) == ({"f": ADDED}, {"f": ADDED})
    first.close()
    (root / "f").unlink()
    assert (changes(first), changes(second)) == ({}, {"f": DELETED})


def test_too_much_news_say_that_one_must_look_again(
    tree: WatchedTree, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trees, "MAX_CHANGES", 10)
    for number in range(100):
        (root / f"d{number}").mkdir()
    taken = tree.take()
    assert (taken.overflowed, taken.items) == (True, {(): UPDATED})
    (root / "d99/f").touch()
    assert changes(tree) == {"d99/f": ADDED}


async def watch(client: Client, uri: str, **more: Any) -> str:
    """The channel of a new watch, subscribed."""
    channel: str = (await client.request("createResourceWatch", {"uri": uri, **more}))["channel"]
    await client.subscribe(channel)
    return channel


def seen(client: Client, channel: str) -> list[tuple[str, str]]:
    ours = [one["action"]["changes"]["items"] for one in client.envelopes if one["channel"] == channel]
    return [(item["uri"], item["type"]) for items in ours for item in items]


async def until_seen(client: Client, channel: str, uri: str, kind: str) -> None:
    await client.until(lambda: (uri, kind) in seen(client, channel), f"{kind} {uri}")


async def test_a_watch_reports_by_the_clients_own_spelling(desk: Desk) -> None:
    channel = await watch(desk.client, desk.uri, recursive=True, excludes={"items": ["**/node_modules/**"]})
    state = (await desk.client.subscribe(channel))["state"]
    assert state == {"root": desk.uri, "recursive": True, "excludes": {"items": ["**/node_modules/**"]}}
    await desk.call("resourceMkdir", "node_modules/x")
    await desk.write("node_modules/x/f", "x")
    await desk.write("a%20b", "x")
    await until_seen(desk.client, channel, f"{desk.uri}/a%20b", "added")
    await desk.write("a%20b", "y")
    await until_seen(desk.client, channel, f"{desk.uri}/a%20b", "updated")
    await desk.call("resourceDelete", "a%20b")
    await until_seen(desk.client, channel, f"{desk.uri}/a%20b", "deleted")
    assert {uri for uri, _ in seen(desk.client, channel)} == {f"{desk.uri}/a%20b"}


async def test_nothing_that_follows_the_answer_is_missed(desk: Desk) -> None:
    for number in range(20):
        channel = (await desk.client.request("createResourceWatch", {"uri": desk.uri}))["channel"]
        (desk.path / f"{number}").touch()
        await desk.client.subscribe(channel)
        await until_seen(desk.client, channel, f"{desk.uri}/{number}", "added")
        await desk.client.notify("unsubscribe", {"channel": channel})


async def test_a_watch_without_recursion_sees_the_children_alone(desk: Desk) -> None:
    await desk.call("resourceMkdir", "d")
    channel = await watch(desk.client, desk.uri, includes={"items": ["*.py"]})
    for name in ("d/deep.py", "a.txt", "a.py"):
        await desk.write(name, "x")
    await until_seen(desk.client, channel, f"{desk.uri}/a.py", "added")
    assert {uri for uri, _ in seen(desk.client, channel)} == {f"{desk.uri}/a.py"}


async def test_a_file_is_watched_across_its_replacement(desk: Desk) -> None:
    await desk.write("f", "one")
    channel = await watch(desk.client, f"{desk.uri}/f")
    await desk.write("other", "x")
    await desk.write("f", "two")
    await until_seen(desk.client, channel, f"{desk.uri}/f", "updated")
    (desk.path / "f").unlink()
    await until_seen(desk.client, channel, f"{desk.uri}/f", "deleted")
    assert {uri for uri, _ in seen(desk.client, channel)} == {f"{desk.uri}/f"}


async def test_a_watch_is_its_makers_alone(desk: Desk, connect: Connect) -> None:
    channel = await watch(desk.client, desk.uri)
    bob, second = await connect("bob"), await connect("alice")
    assert (await bob.refused("subscribe", {"channel": channel})).code == -32008
    assert (await second.subscribe(channel))["state"]["root"] == desk.uri


async def test_a_watch_ends_with_its_last_subscriber(desk: Desk, connect: Connect, service: RunningService) -> None:
    second = await connect("alice")
    channels = [await watch(desk.client, desk.uri) for _ in range(3)]
    await second.subscribe(channels[0])
    await desk.client.notify("unsubscribe", {"channel": channels[1]})
    await until_gone(service, channels[1])
    desk.client.cut()
    await until_gone(service, channels[2])
    (desk.path / "f").touch()
    await until_seen(second, channels[0], f"{desk.uri}/f", "added")
    await second.notify("unsubscribe", {"channel": channels[0]})
    await until_gone(service, channels[0])
    assert (await second.refused("subscribe", {"channel": channels[0]})).code == -32008


async def until_gone(service: RunningService, channel: str, within_s: float = 10) -> None:
    """The log announces the end of a channel to its readers alone, who are gone: so the database is asked."""
    database = service.env["DATABASE_URL"] or await asyncio.to_thread(service.manage, "where", "database")
    query = "SELECT count(*), pg_sleep(0.05) FROM changesets_app_watch WHERE uri = %s"
    async with (
        await psycopg.AsyncConnection.connect(database, autocommit=True) as connection,
        asyncio.timeout(within_s),
    ):
        while (found := await (await connection.execute(query, (channel,))).fetchone()) and found[0]:
            continue


async def test_a_tenant_holds_so_many_watches_and_no_more(connect: Connect) -> None:
    """Carol's, whom the other tests do not miss."""
    carol = await connect("carol", initialize=False)
    home = (await carol.initialize())["defaultDirectory"]
    for _ in range(settings.AHP_MAX_WATCHES):
        await carol.request("createResourceWatch", {"uri": home})
    assert (await carol.refused("createResourceWatch", {"uri": home})).code == -32600


async def test_what_cannot_be_watched_is_refused(desk: Desk) -> None:
    assert (await desk.refused("createResourceWatch", "missing")).code == -32008
    globs = {"items": ["{a,b}" * 20]}
    assert (await desk.refused("createResourceWatch", "", excludes=globs)).code == -32602
