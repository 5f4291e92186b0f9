"""What can operators do about what is live, on the real service?"""

from __future__ import annotations

import asyncio
import re
import secrets
import uuid
from collections.abc import AsyncIterator, Callable

import httpx
import psycopg
import pytest

from tests.client import ROOT, Client
from tests.conftest import Connect
from tests.interaction.conversation import BUSY, begin
from tests.service import RunningService

PASSWORD = secrets.token_urlsafe(12)
Rows = Callable[[str], list[tuple[str, str, str]]]

_MAKE = """
from django.contrib.auth.models import User
user, _ = User.objects.get_or_create(username="root", is_staff=True, is_superuser=True)
user.set_password("{password}")
user.save()
print("made")
"""


class Operator:
    """A superuser's browser in the admin site."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self._http = http

    async def login(self) -> None:
        page = await self._http.get("/login/")
        form = {"username": "root", "password": PASSWORD, "csrfmiddlewaretoken": _token(page.text)}
        answer = await self._http.post("/login/", data=form, headers={"Referer": str(page.url)})
        assert answer.status_code == 302, answer.text

    async def page(self, path: str, **query: str) -> str:
        """A page of the admin site."""
        answer = await self._http.get(f"/admin/{path}/", params=query)
        assert answer.status_code == 200, answer.text[:500]
        return answer.text

    async def act(self, path: str, action: str, key: str) -> str:
        """Choose a row and do something to it: what the page then says."""
        form = {"action": action, "_selected_action": key, "csrfmiddlewaretoken": _token(await self.page(path))}
        url = f"/admin/{path}/"
        answer = await self._http.post(url, data=form, headers={"Referer": f"{self._http.base_url}{url}"})
        assert answer.status_code == 302, answer.text[:500]
        return await self.page(path)


def _token(page: str) -> str:
    found = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
    assert found is not None
    return found.group(1)


@pytest.fixture
async def operator(service: RunningService) -> AsyncIterator[Operator]:
    await asyncio.to_thread(service.manage, "shell", "--no-imports", "-c", _MAKE.format(password=PASSWORD))
    async with httpx.AsyncClient(base_url=service.http, timeout=30) as http:
        made = Operator(http)
        await made.login()
        yield made


@pytest.fixture
def audited(service_database: str) -> Callable[[str], list[tuple[str, ...]]]:
    """The rows of the audit log of an act: who, of which tenant, about what, from where."""

    def rows(act: str) -> list[tuple[str, ...]]:
        with psycopg.connect(service_database) as database:
            return database.execute(
                "SELECT e.username, t.slug, e.subject, e.address FROM auth_app_auditevent e"
                " LEFT JOIN auth_app_tenant t ON t.id = e.tenant_id WHERE act = %s",
                (act,),
            ).fetchall()

    return rows


def tenant_id(database: str, slug: str = "demo") -> int:
    with psycopg.connect(database) as connection:
        row = connection.execute("SELECT id FROM auth_app_tenant WHERE slug = %s", (slug,)).fetchone()
    assert row is not None
    return int(row[0])


async def test_an_operator_sees_a_session_and_ends_its_turn_and_then_itself(
    connect: Connect, operator: Operator, service_database: str, audited: Callable[[str], list[tuple[str, ...]]]
) -> None:
    talk = await begin(await connect("alice", ROOT))
    turn = await talk.start(BUSY)
    key = f"{await asyncio.to_thread(tenant_id, service_database)} {talk.session}"
    page = await operator.page("sessions_app/livesession", turns="yes", q=talk.session)
    assert talk.session in page
    assert "alice" in page
    await operator.act("sessions_app/livesession", "end_turns", key)
    assert (await talk.ended(turn))["type"] == "chat/turnCancelled"
    await operator.act("sessions_app/livesession", "end", key)
    await talk.client.notification("root/sessionRemoved", session=talk.session)
    assert (await talk.client.refused("subscribe", {"channel": talk.session})).code == -32001
    for act in ("session.turns_ended", "session.ended"):
        who, slug, subject, address = next(
            row for row in await asyncio.to_thread(audited, act) if talk.session in row[2]
        )
        assert (who, slug, address) == ("root", "demo", "127.0.0.1")
        assert talk.session in subject


async def test_what_a_private_session_is_about_is_not_told(connect: Connect, operator: Operator) -> None:
    talk = await begin(await connect("alice"), config={"visibility": "private"})
    await talk.client.dispatch(talk.session, {"type": "session/titleChanged", "title": "the merger"})
    await talk.client.action(talk.session, "session/titleChanged")
    page = await operator.page("sessions_app/livesession", q=talk.session)
    assert talk.session in page
    assert "the merger" not in page
    assert talk.session not in await operator.page("sessions_app/livesession", q="merger")


async def test_an_operator_ends_a_terminal(
    connect: Connect, operator: Operator, service_database: str, audited: Callable[[str], list[tuple[str, ...]]]
) -> None:
    bob: Client = await connect("bob", ROOT)
    uri = f"ahp-terminal:/{uuid.uuid4()}"
    await bob.request("createTerminal", {"channel": uri, "claim": {"kind": "client", "clientId": bob.client_id}})
    await bob.subscribe(uri)
    assert uri in await operator.page("terminals_app/terminal", q=uri)

    def key() -> str:
        with psycopg.connect(service_database) as database:
            row = database.execute("SELECT id FROM terminals_app_terminal WHERE uri = %s", (uri,)).fetchone()
        assert row is not None
        return str(row[0])

    await operator.act("terminals_app/terminal", "end", await asyncio.to_thread(key))
    gone = lambda one: all(each["resource"] != uri for each in one["action"].get("terminals", ({"resource": uri},)))  # noqa: E731
    await bob.until(lambda: next(filter(gone, bob.envelopes), None), "the list without the terminal")
    assert (await bob.refused("subscribe", {"channel": uri})).code == -32008
    assert ("root", "demo") in [row[:2] for row in await asyncio.to_thread(audited, "terminal.ended")]
