"""Can a person reach a file outside of the tenant's directory when a rule or another person lets them, and only then?"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest

from tests.client import Client, RpcError
from tests.conftest import Connect
from tests.files.conftest import Desk
from tests.files.test_watches import until_gone, watch
from tests.service import RunningService

DENIED = -32009


@pytest.fixture
def shared(service: RunningService) -> Path:
    """A directory of its own on the host, which may be granted: it holds `f` with the text "theirs"."""
    place = Path(service.env["AHP_GRANTABLE_ROOTS"]) / uuid.uuid4().hex
    place.mkdir(parents=True)
    (place / "f").write_text("theirs")
    return place


class Browser:
    """Somebody who is logged in and looks at the page of requests."""

    def __init__(self, service: RunningService, user: str) -> None:
        self._http = httpx.Client(base_url=service.http, follow_redirects=True)
        page = self._http.get("/login/").text
        login = {"username": user, "password": service.password(user), "csrfmiddlewaretoken": _token(page)}
        self._http.post("/login/", data=login)

    def wishes(self, path: Path) -> list[str]:
        """The numbers of the requests and grants for a path that are shown."""
        forms = self._http.get("/access/").text.split("<form")[1:]
        return [
            number
            for form in forms
            if f"<code>{path}<" in form
            for number in re.findall(r'"grant" value="(\d+)"', form)
        ]

    def decide(self, number: str, decision: str) -> int:
        """The status of the answer."""
        token = _token(self._http.get("/access/").text or "")
        form = {"grant": number, "decision": decision, "csrfmiddlewaretoken": token or self._http.cookies["csrftoken"]}
        return self._http.post("/access/", data=form).status_code

    def close(self) -> None:
        """Leave."""
        self._http.close()


def _token(page: str) -> str:
    found = re.search(r'csrfmiddlewaretoken" value="(\w+)"', page)
    return found[1] if found else ""


@pytest.fixture(scope="module")
def browsers(service: RunningService) -> Iterator[dict[str, Browser]]:
    opened = {user: Browser(service, user) for user in ("alice", "bob", "carol")}
    yield opened
    for each in opened.values():
        each.close()


def sql(service: RunningService, statement: str, *params: Any) -> list[tuple[Any, ...]]:
    with psycopg.connect(service.env["DATABASE_URL"], autocommit=True) as connection:
        cursor = connection.execute(statement, params)
        return cursor.fetchall() if cursor.description else []


def rule(service: RunningService, path: Path, *, writes: bool = False, role: str = "member") -> None:
    """As operators write them in the admin site."""
    tenant = "SELECT id FROM auth_app_tenant WHERE slug = 'demo'"
    insert = f"INSERT INTO changesets_app_filerule (tenant_id, path, writes, role) SELECT ({tenant}), %s, %s, %s"
    sql(service, insert, str(path), writes, role)


async def text(client: Client, path: Path) -> str:
    return str((await client.request("resourceRead", {"uri": path.as_uri()}))["data"])


async def denied(client: Client, path: Path, method: str = "resourceRead", **more: Any) -> RpcError:
    refusal = await client.refused(method, {"uri": path.as_uri(), **more})
    assert refusal.code == DENIED
    assert refusal.data["request"]["uri"] == path.as_uri()
    return refusal


async def granted(client: Client, alice: Browser, path: Path, **wish: Any) -> None:
    """The client asks, and alice says yes while it waits."""
    asked = await client.start("resourceRequest", {"uri": path.as_uri(), **wish})
    assert alice.decide(await waiting(client, alice, path), "15") == 200
    assert await client.reply(asked) == {}


async def waiting(client: Client, browser: Browser, path: Path) -> str:
    """The number of the one request for the path, once it is shown."""
    for _ in range(200):
        await client.fence()
        found = browser.wishes(path)
        if found:
            (number,) = found
            return number
    raise AssertionError("the request never came")


async def test_a_rule_lets_people_in_without_asking(connect: Connect, service: RunningService, shared: Path) -> None:
    bob, vera, carol = await connect("bob"), await connect("vera"), await connect("carol")
    refusal = await denied(bob, shared / "f")
    rule(service, shared)
    assert await text(bob, shared / "f") == "theirs"
    assert await bob.request("resourceRequest", {"uri": shared.as_uri(), "read": True}) == {}
    for other in (vera, carol):
        assert str(await denied(other, shared / "f")) == str(refusal)
    await denied(bob, shared / "f", "resourceWrite", data="x", encoding="utf-8")
    await denied(bob, shared.parent / "elsewhere")
    assert [one["name"] for one in (await bob.request("resourceList", {"uri": shared.as_uri()}))["entries"]] == ["f"]


async def test_a_rule_may_be_for_the_upper_roles_alone(connect: Connect, service: RunningService, shared: Path) -> None:
    rule(service, shared, writes=True, role="operator")
    alice, bob = await connect("alice"), await connect("bob")
    await denied(bob, shared / "f")
    await alice.request("resourceWrite", {"uri": (shared / "f").as_uri(), "data": "hers", "encoding": "utf-8"})
    assert (shared / "f").read_text() == "hers"


async def test_an_owner_grants_for_a_time_and_may_revoke(
    connect: Connect, service: RunningService, shared: Path, browsers: dict[str, Browser]
) -> None:
    bob, alice, carol = await connect("bob"), await connect("alice"), await connect("carol")
    asked = await bob.start("resourceRequest", {"uri": (shared / "f").as_uri(), "read": True})
    number = await waiting(bob, browsers["alice"], shared / "f")
    for other in ("bob", "carol"):
        assert browsers[other].wishes(shared / "f") == []
        assert browsers[other].decide(number, "15") == 404
    assert browsers["alice"].decide(number, "15") == 200
    assert await bob.reply(asked) == {}
    assert await text(bob, shared / "f") == "theirs"
    await denied(bob, shared / "g")
    await denied(bob, shared / "f", "resourceWrite", data="x", encoding="utf-8")
    for other_client in (alice, carol):
        await denied(other_client, shared / "f")

    assert browsers["alice"].decide(number, "revoke") == 200
    await denied(bob, shared / "f")
    acts = sql(
        service, "SELECT act, username FROM auth_app_auditevent WHERE subject LIKE %s ORDER BY id", f"%{shared}/f"
    )
    assert acts == [("file.asked", "bob"), ("file.granted", "alice"), ("file.revoked", "alice")]


async def test_a_grant_ends_by_itself(
    connect: Connect, service: RunningService, shared: Path, browsers: dict[str, Browser]
) -> None:
    bob = await connect("bob")
    await granted(bob, browsers["alice"], shared, read=True)
    assert await text(bob, shared / "f") == "theirs"
    ended = "UPDATE changesets_app_filegrant SET granted_until = now() - interval '1 second' WHERE path = %s"
    sql(service, ended, str(shared))
    await denied(bob, shared / "f")


async def test_what_was_denied_is_denied_at_once_when_asked_again(
    connect: Connect, shared: Path, browsers: dict[str, Browser]
) -> None:
    bob = await connect("bob")
    asked = await bob.start("resourceRequest", {"uri": shared.as_uri()})
    assert browsers["alice"].decide(await waiting(bob, browsers["alice"], shared), "deny") == 200
    with pytest.raises(RpcError, match="has denied it"):
        await bob.reply(asked)
    assert "has denied it" in str(await denied(bob, shared, "resourceRequest"))
    assert browsers["alice"].wishes(shared) == []


async def test_nobody_learns_what_is_there_before_it_is_granted(
    connect: Connect, shared: Path, browsers: dict[str, Browser]
) -> None:
    bob = await connect("bob")
    for name in ("f", "missing"):
        asked = await bob.start("resourceRequest", {"uri": (shared / name).as_uri()})
        await waiting(bob, browsers["alice"], shared / name)
        assert not [frame for frame in bob.frames if frame.get("id") == asked]
    assert str(await denied(bob, shared / "f")) == str(await denied(bob, shared / "missing"))


async def test_a_grant_to_write_is_for_that_place_alone(
    desk: Desk, shared: Path, service: RunningService, browsers: dict[str, Browser]
) -> None:
    client, place = desk.client, shared / "made"
    await granted(client, browsers["alice"], place, write=True)
    await client.request("resourceMkdir", {"uri": f"{place.as_uri()}/d"})
    await desk.write("f", "mine")
    await client.request("resourceCopy", {"source": f"{desk.uri}/f", "destination": f"{place.as_uri()}/d/f"})
    await client.request("resourceMove", {"source": f"{place.as_uri()}/d/f", "destination": f"{place.as_uri()}/g"})
    await client.request("resourceCopy", {"source": place.as_uri(), "destination": f"{desk.uri}/back"})
    assert (place / "g").read_text() == (desk.path / "back/g").read_text() == "mine"
    for method in ("resourceMkdir", "resourceDelete"):
        await denied(client, shared / "other", method)
    away = {"source": f"{place.as_uri()}/g", "destination": (shared / "away").as_uri()}
    assert (await client.refused("resourceMove", away)).code == DENIED
    assert there(shared) == {"f", "made"}


def there(place: Path) -> set[str]:
    return {path.name for path in place.iterdir()}


async def test_a_watch_ends_with_the_grant_that_it_needs(
    connect: Connect, service: RunningService, shared: Path, browsers: dict[str, Browser]
) -> None:
    bob = await connect("bob")
    await granted(bob, browsers["alice"], shared, read=True)
    channel = await watch(bob, shared.as_uri())
    (shared / "new").touch()
    await bob.action(channel, "resourceWatch/changed")
    (number,) = browsers["alice"].wishes(shared)
    browsers["alice"].decide(number, "revoke")
    await until_gone(service, channel)


@pytest.mark.parametrize(
    "uri", ["file:///etc/passwd", "{roots}/../up", "{roots}%2f..%2fup", "{data}/workspaces/other/x"]
)
async def test_what_operators_did_not_name_cannot_be_asked_for(
    connect: Connect, service: RunningService, uri: str
) -> None:
    bob = await connect("bob")
    places = {
        name: Path(service.env[key]).as_uri()
        for name, key in (("roots", "AHP_GRANTABLE_ROOTS"), ("data", "AHP_DATA_DIR"))
    }
    refusal = await bob.refused("resourceRequest", {"uri": uri.format(**places)})
    assert str(refusal) == f"{DENIED} Outside of the permitted directories"
