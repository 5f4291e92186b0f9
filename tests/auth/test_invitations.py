"""How do people come into a tenant?"""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from auth_app.invitations import link_for
from auth_app.models import Invitation, Membership
from tests.auth.oauth_clients import logged_in

NEW = {"username": "dora", "password1": "a long sentence", "password2": "a long sentence"}


@pytest.fixture
def path(seeded: Any) -> str:
    link = link_for(Invitation(tenant=seeded.tenant(), role="viewer"), seeded.user("alice"))
    return link.removeprefix("https://ahp.example")


def test_an_operator_makes_a_link_that_is_shown_once(seeded: Any) -> None:
    alice = seeded.user("alice")
    alice.is_staff = alice.is_superuser = True
    alice.save()
    browser = logged_in(alice)
    form = {"tenant": seeded.tenant().pk, "role": "member", "note": "for Dora"}
    page = browser.post("/admin/auth_app/invitation/add/", form, follow=True).content.decode()
    secret = page.partition("ahp.example/invitation/")[2].partition("<")[0].strip()
    assert len(secret) > 40
    assert secret not in browser.get("/admin/auth_app/invitation/").content.decode()
    assert Invitation.objects.get().checksum != secret


def test_somebody_new_makes_an_account_and_is_in(path: str) -> None:
    browser = Client()
    assert b"Join Demo" in browser.get(path).content
    assert browser.post(path, NEW).status_code == 302
    assert Membership.objects.get(user__username="dora").role == "viewer"
    assert browser.get("/api/me").json()["user"]["username"] == "dora"


def test_somebody_who_is_logged_in_joins_as_they_are(seeded: Any, path: str) -> None:
    logged_in(seeded.user("carol")).post(path)
    assert Membership.objects.filter(user=seeded.user("carol"), tenant=seeded.tenant()).exists()


def test_nobody_loses_a_role_by_joining_again(seeded: Any, path: str) -> None:
    logged_in(seeded.user("alice")).post(path)
    assert Membership.objects.get(user=seeded.user("alice")).role == "owner"


def test_a_link_is_good_once_and_not_for_ever(seeded: Any, path: str) -> None:
    assert Client().post(path, {**NEW, "password2": "another"}).status_code == 200
    assert Client().post(path, NEW).status_code == 302
    assert Client().post(path, {**NEW, "username": "eve"}).status_code == 404
    late = link_for(Invitation(tenant=seeded.tenant()), None).removeprefix("https://ahp.example")
    Invitation.objects.update(expires_at="2020-01-01T00:00:00Z")
    assert Client().get(late).status_code == 404
    assert Client().get("/invitation/guess").status_code == 404
