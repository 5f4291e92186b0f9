"""Do the resource methods keep PROTOCOL.md section 12, on a real socket?"""

from __future__ import annotations

import asyncio
import base64
import os

import pytest

from ahp_platform.workspaces.paths import own_directory_name
from tests.client import ROOT, WAIT_S, Client
from tests.conftest import Connect
from tests.files.conftest import Desk
from tests.interaction.conversation import new_session

DENIED, MISSING, THERE, CHANGED, PARAMS = -32009, -32008, -32010, -32011, -32602
MANY = 200_000


async def test_bytes_survive_whatever_they_are(desk: Desk) -> None:
    data = bytes(range(256)) * 3
    text = base64.b64encode(data).decode()
    await desk.call("resourceWrite", "b%20in", data=text, encoding="base64")
    assert (desk.path / "b in").read_bytes() == data
    assert await desk.read("b%20in") == {"data": text, "encoding": "base64", "contentType": "application/octet-stream"}


@pytest.mark.parametrize(
    ("data", "wanted", "encoding"),
    [
        ("häl👍lo".encode(), None, "utf-8"),
        ("häl👍lo".encode(), "base64", "base64"),
        (b"a\0b", None, "base64"),
        (b"a\0b", "utf-8", "utf-8"),
        (b"\xff", None, "base64"),
        (b"\xff", "utf-8", "base64"),
        (b"cut \xf0\x9f", None, "base64"),
        (b"", None, "utf-8"),
        (b'"\\\x01\x7f\xe2\x80\xa8', None, "utf-8"),
    ],
)
async def test_text_is_utf8_and_the_rest_base64_unless_asked(
    desk: Desk, data: bytes, wanted: str | None, encoding: str
) -> None:
    (desk.path / "f").write_bytes(data)
    result = await desk.read("f", **({"encoding": wanted} if wanted else {}))
    read = result["data"].encode() if result["encoding"] == "utf-8" else base64.b64decode(result["data"])
    assert (result["encoding"], read) == (encoding, data)


async def test_a_character_between_two_pieces_of_a_big_file_is_whole(desk: Desk) -> None:
    text = "x" + "👍" * 200_000
    (desk.path / "f.txt").write_text(text)
    assert await desk.read("f.txt") == {"data": text, "encoding": "utf-8", "contentType": "text/plain"}


@pytest.mark.parametrize(("name", "type_"), [("a.png", "image/png"), ("a.mp4", "text/plain"), ("a.html", "text/html")])
async def test_the_type_follows_the_name_as_far_as_the_content_allows(desk: Desk, name: str, type_: str) -> None:
    (desk.path / name).write_bytes(b"\x89PNG\0" if type_ == "image/png" else b"text")
    assert (await desk.read(name))["contentType"] == type_


async def test_a_stale_version_is_a_conflict_and_a_fresh_one_is_not(desk: Desk) -> None:
    await desk.write("f", "one", createOnly=True)
    assert (await desk.refused("resourceWrite", "f", data="x", encoding="utf-8", createOnly=True)).code == THERE
    seen = (await desk.call("resourceResolve", "f"))["etag"]
    await desk.write("f", "two", ifMatch=seen)
    assert (await desk.refused("resourceWrite", "f", data="x", encoding="utf-8", ifMatch=seen)).code == CHANGED
    assert (desk.path / "f").read_text() == "two"


async def test_of_many_who_saw_one_version_one_writes(desk: Desk, connect: Connect) -> None:
    await desk.write("f", "start")
    seen = (await desk.call("resourceResolve", "f"))["etag"]
    clients = [await connect(user) for user in ("alice", "bob")]
    asked = [
        (client, await client.start("resourceWrite", {**write_of(desk, str(number)), "ifMatch": seen}))
        for number in range(10)
        for client in clients
    ]
    answers = await asyncio.gather(*(client.reply(one) for client, one in asked), return_exceptions=True)
    assert sorted(getattr(answer, "code", 0) for answer in answers) == [CHANGED] * 19 + [0]


def write_of(desk: Desk, data: str) -> dict[str, str]:
    return {"uri": f"{desk.uri}/f", "data": data, "encoding": "utf-8"}


async def test_bytes_go_where_mode_and_position_say(desk: Desk) -> None:
    await desk.write("f", "héllo")
    await desk.write("f", "!", mode="append")
    await desk.write("f", "<", mode="insert", position=0)
    await desk.write("f", "XY", mode="append", position=1)
    assert (desk.path / "f").read_text() == "<hélloXY!"
    await desk.write("f", "e", mode="truncate", position=2)
    assert (desk.path / "f").read_text() == "<he"
    for mode in ("truncate", "append", "insert"):
        for position in (4, -1):
            more = {"data": "x", "encoding": "utf-8", "mode": mode, "position": position}
            assert (await desk.refused("resourceWrite", "f", **more)).code == PARAMS
    assert (await desk.refused("resourceWrite", "f", data="not base64!", encoding="base64")).code == PARAMS
    assert (desk.path / "f").read_text() == "<he"


async def test_directories_are_listed_made_and_removed(desk: Desk) -> None:
    await desk.call("resourceMkdir", "d/e/f")
    await desk.call("resourceMkdir", "d/e/f")
    await desk.write("d/t.txt", "x")
    (desk.path / "d/link").symlink_to("e")
    entries = (await desk.call("resourceList", "d"))["entries"]
    assert entries == [
        {"name": "e", "type": "directory"},
        {"name": "link", "type": "directory"},
        {"name": "t.txt", "type": "file"},
    ]
    assert (await desk.refused("resourceMkdir", "d/t.txt")).code == THERE
    assert (await desk.refused("resourceMkdir", "d/t.txt/x")).code == THERE
    assert (await desk.refused("resourceList", "d/t.txt")).code == MISSING
    assert (await desk.refused("resourceRead", "d")).code == PARAMS
    assert (await desk.refused("resourceWrite", "d", data="x", encoding="utf-8")).code == THERE
    assert (await desk.refused("resourceDelete", "d")).code == PARAMS
    await desk.call("resourceDelete", "d", recursive=True)
    assert (await desk.refused("resourceDelete", "d", recursive=True)).code == MISSING
    assert list(desk.path.iterdir()) == []


async def test_copies_and_moves_overwrite_unless_they_must_not(desk: Desk) -> None:
    await desk.write("a", "a")
    await desk.write("b", "b")
    await desk.call("resourceMkdir", "d/e")
    transfers = [("resourceCopy", "a", "b"), ("resourceMove", "a", "b"), ("resourceMove", "d", "a")]
    for method, source, target in transfers:
        params = {**from_to(desk, source, target), "failIfExists": True}
        assert (await desk.client.refused(method, params)).code == THERE
    assert (await desk.client.refused("resourceMove", from_to(desk, "d", "b"))).code == THERE
    assert (await desk.client.refused("resourceMove", from_to(desk, "d", "d/e/x"))).code == PARAMS
    assert (await desk.client.refused("resourceCopy", from_to(desk, "d", "d/e/x"))).code == PARAMS
    assert (await desk.client.refused("resourceCopy", from_to(desk, "missing", "b"))).code == MISSING
    await desk.client.request("resourceCopy", from_to(desk, "a", "b"))
    await desk.client.request("resourceMove", from_to(desk, "b", "d/e/b"))
    await desk.client.request("resourceCopy", from_to(desk, "d", "d2"))
    await desk.client.request("resourceMove", from_to(desk, "d2", "d"))
    assert sorted(str(path.relative_to(desk.path)) for path in desk.path.rglob("*")) == ["a", "d", "d/e", "d/e/b"]
    assert (desk.path / "d/e/b").read_text() == "a"


def from_to(desk: Desk, source: str, target: str) -> dict[str, str]:
    return {"source": f"{desk.uri}/{source}", "destination": f"{desk.uri}/{target}"}


async def test_resolving_tells_what_is_really_there(desk: Desk) -> None:
    await desk.write("f.txt", "text")
    (desk.path / "link").symlink_to("f.txt")
    found = await desk.call("resourceResolve", "link")
    assert (found["uri"], found["type"], found["size"]) == (f"{desk.uri}/f.txt", "file", 4)
    assert found["contentType"] == "text/plain"
    link = await desk.call("resourceResolve", "link", followSymlinks=False)
    assert (link["uri"], link["type"]) == (f"{desk.uri}/link", "symlink")
    assert (await desk.call("resourceResolve", ""))["type"] == "directory"
    assert (await desk.refused("resourceResolve", "missing")).code == MISSING


OUTSIDE = ["file:///etc/passwd", "file:///etc/no-such-file", "{ws}/../../../../../../etc/passwd", "{ws}/link/passwd"]
ENCODED = ["{ws}/%2e%2e/%2e%2e/other", "{ws}/..%2f..%2fother", "{ws}/link/missing", "{other}/x", "{other}"]


@pytest.mark.parametrize("place", [*OUTSIDE, *ENCODED])
async def test_outside_is_denied_with_the_request_and_without_a_hint(desk: Desk, place: str) -> None:
    (desk.path / "link").symlink_to("/etc")
    uri = place.format(ws=desk.uri, other=desk.uri.replace("/demo/", "/other/"))
    refusals = [
        (await desk.client.refused("resourceRead", {"uri": uri}), "read"),
        (await desk.client.refused("resourceResolve", {"uri": uri}), "read"),
        (await desk.client.refused("resourceRequest", {"uri": uri, "read": True}), "read"),
        (await desk.client.refused("createResourceWatch", {"uri": uri}), "read"),
        (await desk.client.refused("resourceMkdir", {"uri": f"{uri}/x"}), "write"),
    ]
    for refusal, wanted in refusals:
        told = uri if wanted == "read" else f"{uri}/x"
        assert refusal.code == DENIED
        assert str(refusal) == f"{DENIED} Outside of the permitted directories"
        assert refusal.data == {"request": {"channel": ROOT, "uri": told, wanted: True}}


@pytest.mark.parametrize(
    "uri", ["", "relative", "http://169.254.169.254/", "file://elsewhere/x", "file:x", "{ws}/a?b#c"]
)
async def test_what_is_no_uri_of_ours_is_refused(desk: Desk, uri: str) -> None:
    assert (await desk.client.refused("resourceRead", {"uri": uri.format(ws=desk.uri)})).code == PARAMS
    assert (await desk.client.refused("resourceWrite", {**write_of(desk, ""), "uri": uri})).code == PARAMS


async def test_a_request_grants_what_is_permitted_already(desk: Desk, connect: Connect) -> None:
    wish = {"uri": f"{desk.uri}/missing/x", "write": True}
    assert await desk.client.request("resourceRequest", wish) == {}
    vera = await connect("vera")
    assert (await vera.refused("resourceRequest", wish)).code == DENIED
    assert await vera.request("resourceRequest", {"uri": desk.uri, "read": True}) == {}


async def test_viewers_only_look(desk: Desk, connect: Connect) -> None:
    await desk.write("f", "text")
    vera = await connect("vera")
    assert (await vera.request("resourceRead", {"uri": f"{desk.uri}/f"}))["data"] == "text"
    assert (await vera.refused("resourceWrite", write_of(desk, "x"))).code == DENIED
    assert (await vera.refused("resourceDelete", {"uri": f"{desk.uri}/f"})).code == DENIED
    assert (desk.path / "f").read_text() == "text"


async def test_a_private_sessions_own_files_are_there_for_its_owner_alone(connect: Connect) -> None:
    alice, bob = await connect("alice"), await connect("bob")
    own = await own_directory(alice, "private")
    await alice.request("resourceWrite", {"uri": f"{own}/f", "data": "mine", "encoding": "utf-8"})
    for uri in (own, f"{own}/f", f"{own}/missing", own[:-1] + "0"):
        refusal = await bob.refused("resourceRead", {"uri": uri})
        assert (refusal.code, str(refusal)) == (DENIED, f"{DENIED} Outside of the permitted directories")
    parent, _, name = own.rpartition("/")
    assert name in await names(alice, parent)
    assert name not in await names(bob, parent)
    assert (await bob.refused("resourceMove", {"source": parent, "destination": f"{own}-x"})).code == DENIED
    assert (await bob.refused("resourceDelete", {"uri": parent, "recursive": True})).code == DENIED
    assert (await bob.refused("createResourceWatch", {"uri": own, "recursive": True})).code == DENIED
    theirs = {"channel": new_session(), "workingDirectories": [own]}
    assert (await bob.refused("createSession", theirs)).code == DENIED
    shared = await own_directory(alice, "tenant")
    assert await names(bob, shared) == []


async def own_directory(client: Client, visibility: str) -> str:
    """That of a new session of the client's."""
    session = new_session()
    await client.request("createSession", {"channel": session, "config": {"visibility": visibility}})
    state = (await client.subscribe(session))["state"]
    if state["lifecycle"] != "ready":
        await client.action(session, "session/ready")
    (uri,) = state["workingDirectories"]
    assert uri.endswith(f"/sessions/{own_directory_name(session)}")
    return str(uri)


async def names(client: Client, uri: str) -> list[str]:
    return [entry["name"] for entry in (await client.request("resourceList", {"uri": uri}))["entries"]]


async def test_names_that_are_not_utf8_are_percent_encoded(desk: Desk) -> None:
    (desk.path / os.fsdecode(b"caf\xe9 x")).write_text("old")
    assert await names(desk.client, desk.uri) == ["caf%E9 x"]
    await desk.write("caf%E9%20x", "new")
    assert (await desk.read("caf%E9%20x"))["data"] == "new"
    assert (await desk.call("resourceResolve", "caf%E9%20x"))["uri"] == f"{desk.uri}/caf%E9%20x"


@pytest.mark.parametrize("kind", ["fifo", "unreadable", "circle", "long", "deep"])
async def test_odd_places_are_refused_at_once(desk: Desk, kind: str) -> None:
    name, code = "odd", DENIED
    if kind == "fifo":
        os.mkfifo(desk.path / "odd")
    elif kind == "unreadable":
        if os.geteuid() == 0:
            pytest.skip("root reads everything")
        (desk.path / "odd").touch(0)
    elif kind == "circle":
        (desk.path / "odd").symlink_to("odd")
        code = MISSING
    else:
        name = "x" * 300 if kind == "long" else "/".join("x" * 3000)
        code = PARAMS if kind == "long" else MISSING
    assert (await desk.refused("resourceRead", name)).code == code


async def test_a_file_too_big_to_send_is_refused(desk: Desk) -> None:
    with (desk.path / "big").open("wb") as big:
        big.truncate(40 * 1024 * 1024)
    assert (await desk.refused("resourceRead", "big")).code == PARAMS
    assert (await desk.call("resourceResolve", "big"))["size"] == 40 * 1024 * 1024


async def test_a_big_directory_and_a_big_file_hold_up_nobody(desk: Desk) -> None:
    for number in range(MANY // 4):
        (desk.path / f"{number:06}").touch()
    (desk.path / "big").write_bytes(os.urandom(16 * 1024 * 1024))
    slow = [await desk.client.start("resourceList", {"uri": desk.uri})]
    slow.append(await desk.client.start("resourceRead", {"uri": f"{desk.uri}/big"}))
    await desk.client.request("ping", within_s=2)
    entries = (await desk.client.reply(slow[0], 2 * WAIT_S))["entries"]
    assert len(entries) == MANY // 4 + 1
    big = await desk.client.reply(slow[1], 2 * WAIT_S)
    assert base64.b64decode(big["data"]) == (desk.path / "big").read_bytes()
