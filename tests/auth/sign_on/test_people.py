"""Is somebody who logs in with an identity provider who the provider says, and what may they do here?"""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client

from auth_app.models import AuditEvent, IdentityProvider, LinkedIdentity, Membership, Tenant
from auth_app.sso.client import BOX
from tests.auth.sign_on.browsing import START, begin, logs_in, roles, who
from tests.auth.sign_on.identity_server import CLIENT, SECRET, IdentityServer


def test_the_login_page_has_a_button_that_leads_to_the_provider_and_back(
    provider: IdentityProvider, server: IdentityServer, client: Client
) -> None:
    page = client.get("/login/?next=/some/page").content.decode()
    assert "Log in with Acme" in page
    assert 'href="/login/with/acme?next=%2Fsome%2Fpage"' in page
    assert begin(client).startswith(f"{server.issuer}/authorize?")
    answer = logs_in(client, server, "/some/page")
    assert (answer.status_code, answer["Location"]) == (302, "/some/page")
    assert who(client) == "erin"
    assert roles("erin") == {"demo": "member"}
    assert not User.objects.get(username="erin").has_usable_password()


@pytest.mark.parametrize(
    "elsewhere", ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)"]
)
def test_the_way_back_leads_to_ourselves(
    provider: IdentityProvider, server: IdentityServer, client: Client, elsewhere: str
) -> None:
    assert logs_in(client, server, elsewhere)["Location"] == "/"


def test_whoever_comes_again_is_the_same_person_whatever_they_are_called(
    provider: IdentityProvider, server: IdentityServer, client: Client
) -> None:
    logs_in(client, server)
    server.claims |= {"preferred_username": "somebody else", "email": "new@acme.example"}
    again = Client()
    logs_in(again, server)
    assert who(again) == "erin"
    assert LinkedIdentity.objects.count() == 1


def test_nobody_gets_the_account_of_somebody_else_by_name_or_address(
    provider: IdentityProvider, server: IdentityServer, client: Client
) -> None:
    User.objects.filter(username="alice").update(email="alice@acme.example")
    server.claims |= {"preferred_username": "alice", "email": "alice@acme.example", "email_verified": True}
    logs_in(client, server)
    assert who(client) == "alice.acme"
    assert roles("alice.acme") == {"demo": "member"}
    server.claims["sub"] = "18"
    other = Client()
    logs_in(other, server)
    assert who(other) not in ("alice", "alice.acme", None)


def test_an_account_that_an_operator_linked_is_used(
    provider: IdentityProvider, server: IdentityServer, client: Client
) -> None:
    vera = User.objects.get(username="vera")
    LinkedIdentity.objects.create(provider=provider, issuer=provider.issuer, subject="17", user=vera)
    provider.creates_people = False
    provider.save()
    logs_in(client, server)
    assert who(client) == "vera"
    # She was a viewer by an operator's hand, and stays one.
    assert roles("vera") == {"demo": "viewer"}


def test_roles_follow_the_claims_at_every_login(
    provider: IdentityProvider, server: IdentityServer, client: Client
) -> None:
    server.claims["acme"] = {"boss": True}
    logs_in(client, server)
    assert roles("erin") == {"demo": "owner"}
    server.claims["acme"] = {"boss": False}
    logs_in(client, server)
    assert roles("erin") == {"demo": "member"}
    Membership.objects.create(
        user=User.objects.get(username="erin"), tenant=Tenant.objects.get(slug="other"), role="viewer"
    )
    server.claims["groups"] = []
    logs_in(client, server)
    assert roles("erin") == {"other": "viewer"}


def test_a_role_that_an_operator_changed_is_left_alone(
    provider: IdentityProvider, server: IdentityServer, client: Client
) -> None:
    logs_in(client, server)
    Membership.objects.filter(user__username="erin").update(role="operator")
    for groups in (["staff"], []):
        server.claims["groups"] = groups
        logs_in(client, server)
        assert roles("erin") == {"demo": "operator"}


def leaves_groups(server: IdentityServer, provider: IdentityProvider) -> None:
    server.claims["groups"] = ["guests"]


def knows_nobody(server: IdentityServer, provider: IdentityProvider) -> None:
    IdentityProvider.objects.update(creates_people=False)


def wants_another_domain(server: IdentityServer, provider: IdentityProvider) -> None:
    IdentityProvider.objects.update(domains="acme.example")
    server.claims |= {"email": "erin@evil.example", "email_verified": True}


def wants_a_verified_address(server: IdentityServer, provider: IdentityProvider) -> None:
    IdentityProvider.objects.update(domains="acme.example")
    server.claims |= {"email": "erin@acme.example", "email_verified": False}


def has_another_secret(server: IdentityServer, provider: IdentityProvider) -> None:
    IdentityProvider.objects.update(secret=BOX.seal("wrong"))


def gives_itself_another_name(server: IdentityServer, provider: IdentityProvider) -> None:
    server.document["issuer"] = "https://evil.example"


def answers_for_another(server: IdentityServer, provider: IdentityProvider) -> None:
    server.document["authorization_response_iss_parameter_supported"] = True


@pytest.mark.parametrize(
    "wrong",
    [leaves_groups, knows_nobody, wants_another_domain, wants_a_verified_address, has_another_secret,
     gives_itself_another_name, answers_for_another],
)  # fmt: skip
def test_whoever_is_not_let_in_reads_why_and_leaves_nothing_behind(
    provider: IdentityProvider, server: IdentityServer, client: Client, wrong: Callable[..., None]
) -> None:
    url = begin(client)
    wrong(server, provider)
    answer = client.get(server.allow(url).removeprefix("https://ahp.example"))
    assert answer.status_code in (403, 502)
    assert "Not logged in" in answer.content.decode()
    assert who(client) is None
    assert not User.objects.filter(username="erin").exists()
    row = AuditEvent.objects.get(act="login.provider")
    assert (row.outcome, row.subject.startswith("acme: ")) == ("refused", True)


def test_a_provider_that_is_away_or_switched_off_says_so(
    provider: IdentityProvider, server: IdentityServer, client: Client
) -> None:
    IdentityProvider.objects.update(issuer="http://127.0.0.1:1")
    assert client.get(START).status_code == 502
    IdentityProvider.objects.update(is_active=False)
    assert client.get(START).status_code == 404
    assert "Acme" not in client.get("/login/").content.decode()


def test_a_disabled_account_stays_out(provider: IdentityProvider, server: IdentityServer, client: Client) -> None:
    logs_in(client, server)
    User.objects.filter(username="erin").update(is_active=False)
    assert logs_in(Client(), server).status_code == 403


def test_nothing_secret_is_stored_or_written_down(
    provider: IdentityProvider, server: IdentityServer, client: Client
) -> None:
    logs_in(client, server)
    rows = json.dumps(list(AuditEvent.objects.values()), default=str)
    assert "login.provider" in rows
    stored = bytes(IdentityProvider.objects.get().secret)
    assert SECRET.encode() not in stored
    assert not [secret for secret in (SECRET, "opaque", "code-0") if secret in rows]


def test_the_operators_page_takes_a_secret_and_never_shows_it(provider: IdentityProvider, client: Client) -> None:
    User.objects.filter(username="alice").update(is_staff=True, is_superuser=True)
    client.force_login(User.objects.get(username="alice"))
    page = client.get(f"/admin/auth_app/identityprovider/{provider.pk}/change/").content.decode()
    assert "https://ahp.example/login/with/acme/back" in page
    assert SECRET not in page
    form = {
        "name": "Acme", "is_active": "on", "issuer": "http://insecure.example", "client_id": CLIENT,
        "new_secret": "another", "scopes": "openid", "username_claim": "sub", "mappings-TOTAL_FORMS": 0,
        "mappings-INITIAL_FORMS": 0,
    }  # fmt: skip
    path = f"/admin/auth_app/identityprovider/{provider.pk}/change/"
    assert client.post(path, form).status_code == 200
    assert client.post(path, {**form, "issuer": "https://id.example"}).status_code == 302
    assert BOX.open(bytes(IdentityProvider.objects.get().secret)) == "another"
    (row,) = AuditEvent.objects.filter(act="admin.changed")
    assert row.username == "alice"
    assert "another" not in row.subject
