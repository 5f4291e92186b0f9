"""Can one instance of this service be the identity provider of another? Both run, and a browser goes from one to the other."""

from __future__ import annotations

import os
import re
from collections.abc import AsyncIterator, Iterator
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urljoin

import httpx
import pytest

from tests.service import RunningService, own_data

SECRET = "between the two of us"

_CLIENT = """
from oauth2_provider.models import Application
from django.contrib.auth.models import User
User.objects.filter(username="alice").update(email="alice@upstream.example")
Application.objects.get_or_create(client_id="downstream", defaults=dict(name="Downstream", client_type="confidential",
    authorization_grant_type="authorization-code", algorithm="RS256", client_secret="{secret}", redirect_uris="{back}"))
"""
_PROVIDER = """
from ahp_platform.tenancy import across_tenants
from auth_app.models import ClaimMapping, IdentityProvider, Tenant
from auth_app.sso.client import BOX
with across_tenants():
    made, _ = IdentityProvider.objects.update_or_create(slug="upstream", defaults=dict(name="Upstream", issuer="{issuer}",
        client_id="downstream", secret=BOX.seal("{secret}"), creates_people=True, domains="upstream.example"))
    made.mappings.all().delete()
    ClaimMapping.objects.create(provider=made, claim="role", value="owner", tenant=Tenant.objects.get(slug="other"),
        role="operator")
"""


@pytest.fixture(scope="module")
def upstream(own_database: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """The provider: under another host name, since browsers share cookies between ports."""
    env = own_data(tmp_path_factory.mktemp("upstream"), f"ahp-upstream-{os.getpid()}")
    running = RunningService("up", "--host", "localhost", env=env | {"DATABASE_URL": own_database})
    running.http = running.http.replace("127.0.0.1", "localhost")
    try:
        running.wait_ready()
        yield running
    finally:
        running.stop()


class _Form(HTMLParser):
    """The fields of a page's form, with the first choice of each list."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.fields: dict[str, str] = {}
        self._list = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "input" and "name" in given:
            self.fields[given["name"]] = given.get("value", "")
        elif tag == "select":
            self._list = given["name"]
        elif tag == "option" and self._list:
            self.fields.setdefault(self._list, given.get("value", ""))


async def submit(browser: httpx.AsyncClient, page: httpx.Response, **filled: str) -> httpx.Response:
    """Fill the page's form in and send it, as a browser does."""
    fields = {**_Form(page.text).fields, **filled}
    url = urljoin(str(page.url), str(page.url))
    return await browser.post(
        url, data=fields, headers={"Referer": url, "Origin": url.split("/", 3)[0] + "//" + page.url.netloc.decode()}
    )


@pytest.fixture
async def browser() -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(follow_redirects=True, timeout=30) as made:
        yield made


async def test_a_person_of_one_instance_logs_in_at_another(
    upstream: RunningService, service: RunningService, browser: httpx.AsyncClient
) -> None:
    back = f"{service.http}/login/with/upstream/back"
    upstream.manage("shell", "--no-imports", "-c", _CLIENT.format(secret=SECRET, back=back) + "print('ok')")
    service.manage("shell", "--no-imports", "-c", _PROVIDER.format(secret=SECRET, issuer=upstream.http) + "print('ok')")

    login = await browser.get(f"{service.http}/login/")
    assert "Log in with Upstream" in login.text
    found = re.search(r'href="(/login/with/upstream[^"]*)"', login.text)
    assert found is not None
    theirs = await browser.get(f"{service.http}{found.group(1)}")
    assert theirs.url.host == "localhost", theirs.text
    consent = await submit(browser, theirs, username="alice", password=upstream.password("alice"))
    assert "Let Downstream in?" in consent.text
    assert "Know who you are" in consent.text
    ours = await submit(browser, consent, allow="true")
    assert (ours.status_code, str(ours.url)) == (200, f"{service.http}/"), ours.text

    me: dict[str, Any] = (await browser.get(f"{service.http}/api/me")).json()
    # The name is Alice's here, who is somebody else.
    assert me["user"]["username"] == "alice.upstream"
    assert [(tenant["slug"], tenant["role"]) for tenant in me["tenants"]] == [("other", "operator")]


async def test_what_is_published_of_us_is_what_clients_need(
    upstream: RunningService, browser: httpx.AsyncClient
) -> None:
    told = (await browser.get(f"{upstream.http}/.well-known/openid-configuration")).json()
    assert told["issuer"] == upstream.http
    assert {"preferred_username", "email", "tenant", "role"} <= set(told["claims_supported"])
    assert told["response_types_supported"] == ["code"]
    (key,) = (await browser.get(told["jwks_uri"])).json()["keys"]
    assert (key["kty"], key["use"], "d" in key) == ("RSA", "sig", False)
    assert (await browser.get(told["userinfo_endpoint"])).status_code == 401
