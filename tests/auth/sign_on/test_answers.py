"""Does an answer that is not the provider's own, or not for us, let anybody in?"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from auth_app.models import IdentityProvider
from tests.auth.sign_on.browsing import BACK, begin, logs_in, who
from tests.auth.sign_on.identity_server import Claims, IdentityServer


def of_another_issuer(claims: Claims) -> Claims:
    return {**claims, "iss": "https://evil.example"}


def for_another_audience(claims: Claims) -> Claims:
    return {**claims, "aud": "another-client"}


def for_several_but_not_us(claims: Claims) -> Claims:
    return {**claims, "aud": ["one", "two"]}


def of_another_login(claims: Claims) -> Claims:
    return {**claims, "nonce": "replayed"}


def of_no_login(claims: Claims) -> Claims:
    return {name: value for name, value in claims.items() if name != "nonce"}


def expired(claims: Claims) -> Claims:
    return {**claims, "exp": claims["iat"] - 60}


def for_ever(claims: Claims) -> Claims:
    return {name: value for name, value in claims.items() if name != "exp"}


def of_nobody(claims: Claims) -> Claims:
    return {name: value for name, value in claims.items() if name != "sub"}


def of_a_number(claims: Claims) -> Claims:
    return {**claims, "sub": 17}


@pytest.mark.parametrize(
    "bend",
    [of_another_issuer, for_another_audience, for_several_but_not_us, of_another_login, of_no_login, expired, for_ever,
     of_nobody, of_a_number],
)  # fmt: skip
def test_a_token_with_wrong_claims_lets_nobody_in(
    provider: IdentityProvider, server: IdentityServer, client: Client, bend: Callable[[Claims], Claims]
) -> None:
    server.bend = bend
    assert logs_in(client, server).status_code == 403
    assert who(client) is None


@pytest.mark.parametrize(
    "way", ["signed_with_the_public_key", "signed_by_a_stranger", "unsigned", "missing", "nonsense"]
)
def test_a_token_that_the_provider_did_not_sign_lets_nobody_in(
    provider: IdentityProvider, server: IdentityServer, client: Client, way: str
) -> None:
    server.sign = {"missing": lambda _: "", "nonsense": lambda _: "a.b.c"}.get(way) or getattr(server, way)
    assert logs_in(client, server).status_code in (403, 502)
    assert who(client) is None


def test_an_answer_counts_once_and_only_in_the_browser_that_asked(
    provider: IdentityProvider, server: IdentityServer, client: Client
) -> None:
    back = server.allow(begin(client)).removeprefix("https://ahp.example")
    thief = Client()
    assert thief.get(back).status_code == 400
    assert thief.get(f"{BACK}?code=x").status_code == 400
    assert client.get(f"{back}&iss=https%3A%2F%2Fevil.example").status_code == 403
    back = server.allow(begin(client)).removeprefix("https://ahp.example")
    assert client.get(back).status_code == 302
    assert client.get(back).status_code == 400
    assert who(thief) is None


@pytest.mark.parametrize(("error", "said"), [("access_denied", "did not let you in"), ("<b>odd</b>", "unknown error")])
def test_a_refusal_of_the_provider_is_told_in_our_words(
    provider: IdentityProvider, server: IdentityServer, client: Client, error: str, said: str
) -> None:
    state = server.allow(begin(client)).rpartition("state=")[2]
    page = client.get(BACK, {"error": error, "error_description": "<i>x</i>", "state": state}).content.decode()
    assert said in page
    assert "<b>" not in page
    assert "<i>" not in page
