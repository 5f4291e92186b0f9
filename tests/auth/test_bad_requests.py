"""Is each bad request to the authorization server answered with the RFC's error, and with nothing else?"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from auth_app.oauth_settings import DEVICE_CODE
from tests.auth.oauth_clients import (
    REDIRECT,
    SECRET,
    Consent,
    application,
    authorization,
    code_token,
    library,
    logged_in,
    told,
)

HUGE = "x" * 100_000
ORIGIN = "https://ahp.example"


@pytest.fixture
def server(live_server: Any) -> str:
    return str(live_server.url)


@pytest.fixture
def editor(seeded: Any) -> Any:
    """A public application of the code flow."""
    return application("authorization-code")


def ask(server: str, **form: str) -> tuple[int, dict[str, Any]]:
    answer = httpx.post(f"{server}/o/token/", data=form)
    assert answer.headers["content-type"].startswith("application/json")
    assert "no-store" in answer.headers["cache-control"]
    assert "Traceback" not in answer.text
    return answer.status_code, answer.json()


@pytest.mark.parametrize(
    ("form", "error"),
    [
        ({}, "unsupported_grant_type"),
        ({"grant_type": "password", "username": "bob", "password": "x"}, "unsupported_grant_type"),
        ({"grant_type": "implicit"}, "unsupported_grant_type"),
        ({"grant_type": "authorization_code"}, "invalid_request"),
        ({"grant_type": "authorization_code", "code": "nonsense", "code_verifier": "x" * 48}, "invalid_grant"),
        ({"grant_type": "authorization_code", "code": HUGE, "code_verifier": "x" * 48}, "invalid_grant"),
        ({"grant_type": "authorization_code", "code": "\x00", "code_verifier": "x" * 48}, "invalid_request"),
        ({"grant_type": "refresh_token"}, "invalid_request"),
        ({"grant_type": "refresh_token", "refresh_token": "nonsense"}, "invalid_grant"),
        ({"grant_type": "refresh_token", "refresh_token": HUGE}, "invalid_grant"),
        ({"grant_type": "refresh_token", "refresh_token": "\x00"}, "invalid_request"),
    ],
)
def test_a_bad_request_for_a_token_gets_the_error_of_rfc_6749(
    editor: Any, server: str, form: dict[str, str], error: str
) -> None:
    status, answer = ask(server, client_id=editor.client_id, redirect_uri=REDIRECT, **form)
    assert (status, answer["error"]) == (400, error)


def test_no_password_can_be_tried_here(seeded: Any, editor: Any, server: str) -> None:
    bob = seeded.user("bob")
    bob.set_password("bob's own")
    bob.save()
    asked = {"grant_type": "password", "client_id": editor.client_id, "username": "bob"}
    assert ask(server, **asked, password="bob's own") == ask(server, **asked, password="wrong")


@pytest.mark.parametrize("client_id", ["nobody", "", HUGE, "\x00"])
def test_an_unknown_application_is_told_so_and_no_more(editor: Any, server: str, client_id: str) -> None:
    form = {"grant_type": "authorization_code", "code": "x", "redirect_uri": REDIRECT, "code_verifier": "x" * 48}
    status, answer = ask(server, client_id=client_id, **form)
    assert (status, answer["error"]) in [(401, "invalid_client"), (400, "invalid_request")]


def code_of(seeded: Any, client: Any, **asked: Any) -> tuple[str, str]:
    url, verifier = authorization(client, **asked)
    return told(Consent(logged_in(seeded.user("bob")), url).decide())["code"], verifier


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"redirect_uri": "https://evil.example/callback"}, "invalid_request"),
        ({"redirect_uri": f"{REDIRECT}/"}, "invalid_request"),
        ({"code_verifier": "y" * 48}, "invalid_grant"),
        ({"code_verifier": ""}, "invalid_grant"),
        ({"resource": "https://git.example"}, "invalid_target"),
        ({"resource": f"{ORIGIN}/ahp/other"}, "invalid_target"),
        ({"resource": f"{ORIGIN}.evil.example/ahp/demo"}, "invalid_target"),
        ({"resource": "nonsense"}, "invalid_target"),
    ],
)
def test_a_code_is_good_for_what_it_was_given_for_alone(
    seeded: Any, editor: Any, server: str, changed: dict[str, str], error: str
) -> None:
    code, verifier = code_of(seeded, library(editor, server, scope="sessions:read"), resource=f"{ORIGIN}/ahp/demo")
    form = {"grant_type": "authorization_code", "client_id": editor.client_id, "code": code, "code_verifier": verifier}
    status, answer = ask(server, **{**form, "redirect_uri": REDIRECT, **changed})
    assert status == 400
    assert answer["error"] in (error, "invalid_grant")
    assert "access_token" not in answer


def test_a_code_and_a_refresh_token_are_nothing_to_another_application(seeded: Any, editor: Any, server: str) -> None:
    client, other = library(editor, server, scope="sessions:read"), application("authorization-code")
    code, verifier = code_of(seeded, client)
    form = {"grant_type": "authorization_code", "code": code, "code_verifier": verifier, "redirect_uri": REDIRECT}
    assert ask(server, client_id=other.client_id, **form)[1]["error"] == "invalid_grant"
    token = code_token(client, logged_in(seeded.user("bob")), server)
    stolen = {"grant_type": "refresh_token", "refresh_token": token["refresh_token"]}
    assert ask(server, client_id=other.client_id, **stolen)[1]["error"] == "invalid_grant"
    wider = {**stolen, "scope": "sessions:read sessions:write admin"}
    assert ask(server, client_id=editor.client_id, **wider)[1]["error"] == "invalid_scope"
    foreign = {**stolen, "resource": "https://git.example"}
    assert ask(server, client_id=editor.client_id, **foreign)[1]["error"] == "invalid_target"


@pytest.mark.parametrize("code", ["nonsense", HUGE, "\x00"])
def test_a_device_code_that_is_none_is_refused(seeded: Any, server: str, code: str) -> None:
    device = application(DEVICE_CODE)
    answer = ask(server, grant_type=DEVICE_CODE, client_id=device.client_id, device_code=code)
    assert (answer[0], answer[1]["error"]) == (400, "invalid_request" if code == "\x00" else "invalid_grant")


@pytest.mark.parametrize("token", ["nonsense", HUGE, "\x00", ""])
def test_what_is_no_token_is_not_active_and_is_revoked_in_silence(seeded: Any, server: str, token: str) -> None:
    script = application("client-credentials", public=False, user=seeded.user("bob"), tenant="demo")
    who = (script.client_id, SECRET)
    told = httpx.post(f"{server}/o/introspect/", data={"token": token}, auth=who)
    assert (told.status_code, told.json().get("active", False)) in [(200, False), (400, False)]
    gone = httpx.post(f"{server}/o/revoke_token/", data={"token": token}, auth=who)
    assert gone.status_code == 200 or (token == "" and gone.json()["error"] == "invalid_request")


@pytest.mark.parametrize(
    "uri",
    ["javascript:alert(1)", "data:text/html,x", "", "//evil.example", REDIRECT.replace("https", "http"), HUGE,
     f"{REDIRECT}#x", f"{REDIRECT}%0d%0aX: y", REDIRECT.upper()],
)  # fmt: skip
def test_no_browser_is_sent_where_the_application_did_not_say(seeded: Any, editor: Any, server: str, uri: str) -> None:
    asked = {"response_type": "code", "client_id": editor.client_id, "redirect_uri": uri, "state": "s",
             "code_challenge": "x" * 43, "code_challenge_method": "S256"}  # fmt: skip
    answer = logged_in(seeded.user("bob")).get("/o/authorize/", asked)
    if answer.status_code == 302:
        # Without any, the only registered one is meant (RFC 6749, section 3.1.2.3).
        assert (uri, urlsplit(answer["Location"]).netloc) == ("", "editor.example")
    elif uri:
        assert answer.status_code == 400
