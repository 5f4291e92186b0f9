"""Does a client library get tokens by the authorization code flow, and nobody who should not?"""

from __future__ import annotations

from typing import Any

import pytest
from authlib.integrations.base_client import OAuthError
from oauth2_provider.models import AccessToken, Grant

from auth_app.models import Membership, Tenant, TokenBinding
from tests.auth.oauth_clients import REDIRECT, Consent, application, authorization, code_token, library, logged_in, told

ORIGIN = "https://ahp.example"
SCOPE = "sessions:read sessions:write"


@pytest.fixture
def server(live_server: Any) -> str:
    return str(live_server.url)


@pytest.fixture
def client(seeded: Any, server: str) -> Any:
    return library(application("authorization-code"), server, scope=SCOPE)


def test_a_code_becomes_a_token_of_the_tenant_that_the_user_chose(seeded: Any, client: Any, server: str) -> None:
    Membership.objects.create(tenant=seeded.tenant("other"), user=seeded.user("bob"), role="viewer")
    token = code_token(client, logged_in(seeded.user("bob")), server, tenant="other")
    assert token["token_type"] == "Bearer"
    assert token["scope"] == SCOPE
    assert TokenBinding.objects.get().tenant == seeded.tenant("other")


def test_the_answer_names_its_issuer(seeded: Any, client: Any) -> None:
    url, _ = authorization(client)
    answer = told(Consent(logged_in(seeded.user("bob")), url).decide())
    assert answer["iss"] == ORIGIN


def test_a_refreshed_token_stays_in_its_tenant_and_the_old_ones_are_dead(seeded: Any, client: Any, server: str) -> None:
    first = code_token(client, logged_in(seeded.user("bob")), server)
    second = client.refresh_token(f"{server}/o/token/", refresh_token=first["refresh_token"])
    assert second["access_token"] != first["access_token"]
    assert second["refresh_token"] != first["refresh_token"]
    assert [binding.tenant.slug for binding in TokenBinding.objects.all()] == ["demo"]


def test_a_refresh_token_used_twice_takes_the_whole_family_along(seeded: Any, client: Any, server: str) -> None:
    first = code_token(client, logged_in(seeded.user("bob")), server)
    second = client.refresh_token(f"{server}/o/token/", refresh_token=first["refresh_token"])
    for stolen in (first, second):
        with pytest.raises(OAuthError, match="invalid_grant"):
            client.refresh_token(f"{server}/o/token/", refresh_token=stolen["refresh_token"])
    assert not AccessToken.objects.exists()


def test_who_was_removed_from_the_tenant_refreshes_nothing(seeded: Any, client: Any, server: str) -> None:
    first = code_token(client, logged_in(seeded.user("bob")), server)
    Membership.objects.filter(user=seeded.user("bob")).delete()
    with pytest.raises(OAuthError, match="invalid_grant"):
        client.refresh_token(f"{server}/o/token/", refresh_token=first["refresh_token"])


def test_a_revoked_token_is_gone(seeded: Any, client: Any, server: str) -> None:
    token = code_token(client, logged_in(seeded.user("bob")), server)
    answer = client.revoke_token(
        f"{server}/o/revoke_token/", token["access_token"], body=f"client_id={client.client_id}"
    )
    assert answer.status_code == 200
    assert not AccessToken.objects.exists()
    with pytest.raises(OAuthError, match="invalid_grant"):
        client.refresh_token(f"{server}/o/token/", refresh_token=token["refresh_token"])


def test_a_code_is_good_once_and_only_with_its_verifier(seeded: Any, client: Any, server: str) -> None:
    url, verifier = authorization(client)
    answer = Consent(logged_in(seeded.user("bob")), url).decide()["Location"]

    def fetch(proof: str) -> Any:
        return client.fetch_token(f"{server}/o/token/", authorization_response=answer, code_verifier=proof)

    with pytest.raises(OAuthError, match="invalid_grant"):
        fetch("x" * 48)
    fetch(verifier)
    with pytest.raises(OAuthError, match="invalid_grant"):
        fetch(verifier)
    assert AccessToken.objects.count() == 1


def test_an_expired_code_is_worth_nothing(seeded: Any, client: Any, server: str) -> None:
    url, verifier = authorization(client)
    answer = Consent(logged_in(seeded.user("bob")), url).decide()["Location"]
    Grant.objects.update(expires="2020-01-01T00:00:00Z")
    with pytest.raises(OAuthError, match="invalid_grant"):
        client.fetch_token(f"{server}/o/token/", authorization_response=answer, code_verifier=verifier)


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        ({"scope": "everything"}, "invalid_scope"),
        ({"resource": "https://git.example"}, "invalid_target"),
        ({"resource": f"{ORIGIN}.evil.example/ahp/demo"}, "invalid_target"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
    ],
)
def test_what_may_not_be_asked_for_is_told_to_the_application(
    seeded: Any, client: Any, asked: dict[str, str], error: str
) -> None:
    url, _ = authorization(client, **{k: v for k, v in asked.items() if k != "code_challenge_method"})
    if "code_challenge_method" in asked:
        url = url.replace("code_challenge_method=S256", "code_challenge_method=plain")
    browser = logged_in(seeded.user("bob"))
    answer = browser.get(url)
    answer = answer if answer.status_code == 302 else Consent(browser, url).decide()
    assert told(answer)["error"] == error
    assert not Grant.objects.exists()


def test_without_pkce_nothing_is_issued(seeded: Any, client: Any) -> None:
    path = f"/o/authorize/?response_type=code&client_id={client.client_id}&redirect_uri={REDIRECT}&state=s"
    assert told(logged_in(seeded.user("bob")).get(path)) == {
        "error": "invalid_request", "error_description": "Code challenge required.", "state": "s"
    }  # fmt: skip


@pytest.mark.parametrize(
    "elsewhere",
    ["https://evil.example/callback", f"{REDIRECT}/", f"{REDIRECT}?x=1", "https://editor.example.evil/callback"],
)
def test_nobody_is_sent_to_an_address_that_is_not_registered(seeded: Any, client: Any, elsewhere: str) -> None:
    client.redirect_uri = elsewhere
    answer = logged_in(seeded.user("bob")).get(authorization(client)[0])
    assert answer.status_code == 400
    assert "Location" not in answer
    assert "evil" not in answer.content.decode()


def test_a_user_may_say_no(seeded: Any, client: Any) -> None:
    url, _ = authorization(client)
    assert told(Consent(logged_in(seeded.user("bob")), url).decide(allow=False))["error"] == "access_denied"


def test_no_consent_reaches_a_tenant_that_the_user_does_not_belong_to(seeded: Any, client: Any) -> None:
    browser, (url, _) = logged_in(seeded.user("bob")), authorization(client)
    assert told(Consent(browser, url).decide(tenant="other"))["error"] == "access_denied"
    for slug in ("other", "nowhere"):
        url, _ = authorization(client, resource=f"{ORIGIN}/ahp/{slug}")
        assert told(Consent(browser, url).decide(tenant="demo"))["error"] == "access_denied"


def test_a_socket_that_is_asked_for_is_the_audience_and_decides_the_tenant(
    seeded: Any, client: Any, server: str
) -> None:
    Membership.objects.create(tenant=seeded.tenant("other"), user=seeded.user("bob"))
    resource = f"{ORIGIN}/ahp/other"
    code_token(client, logged_in(seeded.user("bob")), server, tenant="other", resource=resource)
    token = AccessToken.objects.get()
    assert (token.resource, token.binding.tenant.slug) == ([resource], "other")


def test_an_application_of_one_tenant_is_let_into_no_other(seeded: Any, server: str) -> None:
    Membership.objects.create(tenant=seeded.tenant("other"), user=seeded.user("bob"))
    client = library(application("authorization-code", tenant="other"), server, scope=SCOPE)
    page = logged_in(seeded.user("bob")).get(authorization(client)[0])
    assert [tenant.slug for tenant in page.context["form"].fields["tenant"].queryset] == ["other"]


def test_the_page_may_lead_back_to_the_application_and_is_not_kept(seeded: Any, client: Any) -> None:
    page = logged_in(seeded.user("bob")).get(authorization(client)[0])
    assert "form-action 'self' https://editor.example;" in page["Content-Security-Policy"]
    assert page["Cache-Control"] == "no-store"


def test_a_tenant_that_is_switched_off_gives_no_token(seeded: Any, client: Any, server: str) -> None:
    url, verifier = authorization(client)
    answer = Consent(logged_in(seeded.user("bob")), url).decide()["Location"]
    Tenant.objects.filter(slug="demo").update(is_active=False)
    with pytest.raises(OAuthError, match="invalid_grant"):
        client.fetch_token(f"{server}/o/token/", authorization_response=answer, code_verifier=verifier)
