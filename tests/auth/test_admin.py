"""What can operators do in the admin site?"""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from oauth2_provider.models import AccessToken, Application

from auth_app import audit
from auth_app.models import ApplicationTenant, AuditEvent, OpenSocket, Quota, Tenant, WorkspaceBytes
from sessions_app.models import Session
from terminals_app.models import Terminal

PAGES = (
    "auth_app/tenant", "auth_app/membership", "auth_app/clientbinding", "auth_app/quota", "auth_app/opensocket",
    "auth_app/auditevent", "auth_app/identityprovider", "auth_app/linkedidentity", "sessions_app/livesession",
    "terminals_app/terminal", "oauth2_provider/application", "oauth2_provider/accesstoken", "auth/user",
)  # fmt: skip


@pytest.fixture
def operator(seeded: Any) -> Client:
    user = seeded.user("alice")
    user.is_staff = user.is_superuser = True
    user.save()
    browser = Client()
    browser.force_login(user)
    return browser


@pytest.fixture
def things(seeded: Any) -> Any:
    """One of each."""
    seeded.token("bob")
    tenant, bob = seeded.tenant(), seeded.user("bob")
    OpenSocket.objects.create(id=uuid.uuid4(), worker_id=uuid.uuid4(), tenant=tenant, user=bob, client_id="bobs")
    Quota.objects.create(tenant=tenant, sockets=7)
    Quota.objects.create(sessions=3)
    audit.record("test", bob, tenant.pk, subject="a thing")
    return seeded


@pytest.mark.parametrize("page", PAGES)
def test_each_list_opens(things: Any, operator: Client, page: str) -> None:
    assert operator.get(f"/admin/{page}/").status_code == 200


def test_each_thing_opens(things: Any, operator: Client) -> None:
    for model in (Quota, OpenSocket, AuditEvent, AccessToken):
        path = f"/admin/{model._meta.app_label}/{model._meta.model_name}/{model.objects.latest('pk').pk}/change/"
        assert operator.get(path).status_code == 200


def test_who_is_no_operator_sees_nothing(things: Any) -> None:
    browser = Client()
    browser.force_login(things.user("bob"))
    for page in PAGES:
        assert browser.get(f"/admin/{page}/").status_code == 302


def act(browser: Client, page: str, action: str, *keys: object) -> Any:
    form = {"action": action, "_selected_action": [str(key) for key in keys]}
    return browser.post(f"/admin/{page}/", form)


def test_an_account_is_made_and_put_into_a_tenant(things: Any, operator: Client) -> None:
    new = {
        "username": "dora",
        "password1": "a long sentence",
        "password2": "a long sentence",
        "usable_password": "true",
    }
    new |= {"memberships-TOTAL_FORMS": "0", "memberships-INITIAL_FORMS": "0"}
    assert operator.post("/admin/auth/user/add/", new).status_code == 302
    dora = User.objects.get(username="dora")
    page = f"/admin/auth/user/{dora.pk}/change/"
    assert operator.get(page).status_code == 200
    form = {"username": "dora", "is_active": "on", "memberships-TOTAL_FORMS": 1, "memberships-INITIAL_FORMS": 0}
    form |= {"memberships-0-tenant": things.tenant().pk, "memberships-0-role": "viewer"}
    assert operator.post(page, form).status_code == 302
    assert dora.memberships.get().role == "viewer"


def test_a_token_is_revoked(things: Any, operator: Client) -> None:
    act(operator, "oauth2_provider/accesstoken", "revoke", AccessToken.objects.get().pk)
    assert not AccessToken.objects.exists()
    assert AuditEvent.objects.filter(act="token.revoked", username="alice").exists()


def test_a_connection_is_ended(things: Any, operator: Client) -> None:
    act(operator, "auth_app/opensocket", "end", OpenSocket.objects.get().pk)
    assert OpenSocket.objects.get().ending
    assert AuditEvent.objects.filter(act="socket.ended", username="alice").exists()


def test_quotas_are_shown_with_what_is_used(things: Any, operator: Client) -> None:
    assert "1 / 7" in operator.get("/admin/auth_app/quota/").content.decode()


def test_the_audit_log_is_exported_and_not_touched(things: Any, operator: Client) -> None:
    event = AuditEvent.objects.get(act="test")
    text = b"".join(act(operator, "auth_app/auditevent", "export_csv", event.pk).streaming_content).decode()
    assert "a thing" in text
    assert operator.post(f"/admin/auth_app/auditevent/{event.pk}/change/", {"act": "x"}).status_code == 403
    assert operator.post(f"/admin/auth_app/auditevent/{event.pk}/delete/", {"post": "yes"}).status_code == 403


def test_a_script_gets_an_application_with_a_user_and_a_tenant(things: Any, operator: Client) -> None:
    form = {
        "name": "Nightly", "client_id": "nightly", "client_secret": "s3cret", "client_type": "confidential",
        "authorization_grant_type": "client-credentials", "redirect_uris": "", "user": things.user("bob").pk,
        "tenancy-TOTAL_FORMS": 1, "tenancy-INITIAL_FORMS": 0, "tenancy-0-tenant": things.tenant().pk,
    }  # fmt: skip
    answer = operator.post("/admin/oauth2_provider/application/add/", form)
    assert answer.status_code == 302, answer.content
    made = Application.objects.get(client_id="nightly")
    assert ApplicationTenant.objects.get(application=made).tenant == things.tenant()
    assert "s3cret" not in made.client_secret


def more(number: int) -> None:
    """A tenant with a quota, a session, a terminal and a socket."""
    tenant = Tenant.objects.create(slug=f"more-{number}", name="More")
    owner = User.objects.create(username=f"more-{number}")
    now = timezone.now()
    Quota.objects.create(tenant=tenant, sockets=7, messages_per_second=None)
    OpenSocket.objects.create(id=uuid.uuid4(), worker_id=uuid.uuid4(), tenant=tenant, user=owner)
    Session.unscoped.create(
        tenant=tenant, uri=f"ahp-session:/{number}", owner_id=owner.pk, provider="demo", title="A title", status=1,
        created_at=now, modified_at=now, summary="{}",
    )  # fmt: skip
    Terminal.unscoped.create(
        tenant=tenant, uri=f"ahp-terminal:/{number}", user_id=owner.pk, plan="{}", marker=uuid.uuid4(), created_at=now
    )


@pytest.mark.parametrize(
    "page", ["auth_app/quota", "auth_app/opensocket", "sessions_app/livesession", "terminals_app/terminal"]
)
def test_a_longer_list_asks_the_database_no_more_often(things: Any, operator: Client, page: str) -> None:
    counts = []
    for number in range(4):
        more(number)
        with CaptureQueriesContext(connection) as asked:
            shown = operator.get(f"/admin/{page}/").content.decode()
        counts.append(len(asked))
    assert f"more-{number}" in shown
    assert counts[1] == counts[3]


def test_what_is_used_is_counted_for_each_tenant_by_itself(things: Any, operator: Client) -> None:
    more(1)
    Quota.objects.filter(tenant__slug="more-1").update(terminals=5, bytes_stored=2048, messages_per_second=3)
    WorkspaceBytes.unscoped.create(
        tenant=Tenant.objects.get(slug="more-1"), user_id=0, bytes=1024, measured_at=timezone.now()
    )
    page = operator.get("/admin/auth_app/quota/?q=more-1").content.decode()
    for shown in ("1 / 7", "1 / 5", "1.0\xa0KB / 2.0\xa0KB", "0 / 3"):
        assert shown in page
