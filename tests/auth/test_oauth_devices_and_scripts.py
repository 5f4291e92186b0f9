"""Do devices and scripts get tokens, and what do resource servers and clients learn about them?"""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from authlib.integrations.base_client import OAuthError
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client
from oauth2_provider.models import AccessToken, DeviceGrant

from auth_app.credentials import checksum
from auth_app.models import Membership
from auth_app.oauth_settings import DEVICE_CODE
from tests.auth.oauth_clients import application, code_token, library, logged_in

ORIGIN = "https://ahp.example"


@pytest.fixture
def server(live_server: Any) -> str:
    return str(live_server.url)


@pytest.fixture
def device(seeded: Any, server: str) -> Any:
    """A program without a browser that has asked for a code."""
    client = library(application(DEVICE_CODE), server)
    asked = {"client_id": client.client_id, "scope": "sessions:read"}
    client.asked = httpx.post(f"{server}/o/device-authorization/", data=asked).json()
    return client


def poll(device: Any, server: str) -> Any:
    """Ask as if enough time had passed."""
    code = device.asked["device_code"]
    cache.delete(f"device-poll:{checksum(code)}")
    return device.fetch_token(f"{server}/o/token/", grant_type=DEVICE_CODE, device_code=code)


def decide(user: Any, device: Any, action: str = "accept") -> Any:
    browser, code = logged_in(user), device.asked["user_code"]
    page = browser.post("/o/device/", {"user_code": code}, follow=True)
    assert page.status_code == 200
    return browser.post(page.redirect_chain[-1][0], {"action": action, "tenant": "demo"}, follow=True)


def test_a_device_is_told_where_to_send_its_user(device: Any) -> None:
    assert device.asked["verification_uri"] == f"{ORIGIN}/o/device/"
    assert device.asked["user_code"] in device.asked["verification_uri_complete"]
    assert device.asked["interval"] == 5


def test_a_device_waits_until_its_user_allows_it_and_gets_one_token(seeded: Any, device: Any, server: str) -> None:
    with pytest.raises(OAuthError, match="authorization_pending"):
        poll(device, server)
    assert b"let in" in decide(seeded.user("bob"), device).content
    token = poll(device, server)
    assert token["scope"] == "sessions:read"
    assert AccessToken.objects.get().binding.tenant.slug == "demo"
    with pytest.raises(OAuthError, match="invalid_grant"):
        poll(device, server)


def test_a_device_that_polls_too_fast_is_slowed_down(device: Any, server: str) -> None:
    with pytest.raises(OAuthError, match="authorization_pending"):
        poll(device, server)
    with pytest.raises(OAuthError, match="slow_down"):
        device.fetch_token(f"{server}/o/token/", grant_type=DEVICE_CODE, device_code=device.asked["device_code"])


def test_a_device_that_is_refused_or_too_late_gets_nothing(seeded: Any, device: Any, server: str) -> None:
    decide(seeded.user("bob"), device, "deny")
    with pytest.raises(OAuthError, match="access_denied"):
        poll(device, server)
    DeviceGrant.objects.update(expires="2020-01-01T00:00:00Z")
    with pytest.raises(OAuthError, match="expired_token"):
        poll(device, server)


def test_a_device_code_is_worth_nothing_to_another_application(seeded: Any, device: Any, server: str) -> None:
    decide(seeded.user("bob"), device)
    other = library(application(DEVICE_CODE), server)
    other.asked = device.asked
    with pytest.raises(OAuthError, match="invalid_grant"):
        poll(other, server)
    assert poll(device, server)["access_token"]


@pytest.mark.parametrize("code", ["nonsense", ""])
def test_an_unknown_device_code_is_refused_in_the_words_of_the_rfc(device: Any, server: str, code: str) -> None:
    device.asked["device_code"] = code
    with pytest.raises(OAuthError, match="invalid_grant" if code else "invalid_request"):
        poll(device, server)


def test_a_device_is_let_into_no_tenant_that_its_user_does_not_belong_to(seeded: Any, device: Any, server: str) -> None:
    decide(seeded.user("carol"), device)
    with pytest.raises(OAuthError, match="authorization_pending"):
        poll(device, server)


def script(seeded: Any, server: str, **options: Any) -> Any:
    bound = {"user": seeded.user("bob"), "tenant": "demo", **options}
    return library(application("client-credentials", public=False, **bound), server, scope="sessions:read")


def test_a_script_acts_as_its_user_in_its_tenant(seeded: Any, server: str) -> None:
    token = script(seeded, server).fetch_token(f"{server}/o/token/", grant_type="client_credentials")
    row = AccessToken.objects.get()
    assert (row.user, row.binding.tenant.slug) == (seeded.user("bob"), "demo")
    assert "refresh_token" not in token


@pytest.mark.parametrize("lacks", [{"tenant": None}, {"user": None}, {"tenant": "other"}])
def test_a_script_without_a_place_in_a_tenant_gets_nothing(seeded: Any, server: str, lacks: dict[str, Any]) -> None:
    with pytest.raises(OAuthError, match="unauthorized_client"):
        script(seeded, server, **lacks).fetch_token(f"{server}/o/token/", grant_type="client_credentials")


def test_a_wrong_secret_and_an_unknown_client_sound_the_same(seeded: Any, server: str) -> None:
    client = script(seeded, server)
    answers = []
    for client_id in (client.client_id, "nobody"):
        form = {"grant_type": "client_credentials"}
        answers.append(httpx.post(f"{server}/o/token/", data=form, auth=(client_id, "wrong")))
    assert {(answer.status_code, answer.text) for answer in answers} == {(401, '{"error": "invalid_client"}')}


def test_a_script_asks_for_resources_of_its_own_tenant_alone(seeded: Any, server: str) -> None:
    fetch = script(seeded, server).fetch_token
    for foreign in ("https://git.example", f"{ORIGIN}/ahp/other", "nonsense"):
        with pytest.raises(OAuthError, match="invalid_target"):
            fetch(f"{server}/o/token/", grant_type="client_credentials", resource=foreign)
    fetch(f"{server}/o/token/", grant_type="client_credentials", resource=f"{ORIGIN}/ahp/demo")
    assert AccessToken.objects.get().resource == [f"{ORIGIN}/ahp/demo"]


def test_a_token_is_described_as_it_is_now(seeded: Any, server: str) -> None:
    client = library(application("authorization-code"), server, scope="sessions:read sessions:write")
    text = code_token(client, logged_in(seeded.user("bob")), server)["access_token"]
    inspector = script(seeded, server)

    def ask() -> Any:
        return inspector.introspect_token(f"{server}/o/introspect/", token=text).json()

    told = ask()
    assert (told["active"], told["tenant"], told["username"]) == (True, "demo", "bob")
    assert told["scope"] == "sessions:read sessions:write"
    Membership.objects.filter(user=seeded.user("bob")).update(role="viewer")
    assert ask()["scope"] == "sessions:read"
    User.objects.filter(username="bob").update(is_active=False)
    assert ask() == {"active": False}


def test_strangers_describe_no_tokens(seeded: Any, server: str) -> None:
    asked = httpx.post(f"{server}/o/introspect/", data={"token": seeded.token()})
    assert asked.status_code in (401, 403)
    assert httpx.get(f"{server}/o/introspect/?token=x").status_code in (401, 403, 405)


def test_the_authorization_server_describes_itself(db: None, client: Client) -> None:
    told = client.get("/.well-known/oauth-authorization-server").json()
    assert told["issuer"] == ORIGIN
    assert told["token_endpoint"] == f"{ORIGIN}/o/token/"
    assert told["device_authorization_endpoint"] == f"{ORIGIN}/o/device-authorization/"
    assert told["code_challenge_methods_supported"] == ["S256"]
    assert "password" not in told["grant_types_supported"]
    assert "sessions:write" in told["scopes_supported"]


@pytest.mark.parametrize("path", ["", "/ahp/demo", "/ahp/nowhere"])
def test_protected_resources_name_their_authorization_server(db: None, client: Client, path: str) -> None:
    told = client.get(f"/.well-known/oauth-protected-resource{path}").json()
    assert (told["resource"], told["authorization_servers"]) == (f"{ORIGIN}{path}", [ORIGIN])


def test_what_is_no_resource_is_not_described(db: None, client: Client) -> None:
    assert client.get("/.well-known/oauth-protected-resource/elsewhere").status_code == 404
