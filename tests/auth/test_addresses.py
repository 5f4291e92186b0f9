"""What do identity's HTTP addresses answer?"""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from auth_app.models import Tenant


def test_a_page_learns_who_is_logged_in_and_where_they_belong(seeded: Any, client: Client) -> None:
    client.force_login(seeded.user("bob"))
    answer = client.get("/api/me")
    assert answer.json() == {
        "user": {"id": seeded.user("bob").pk, "username": "bob"},
        "tenants": [{"slug": "demo", "name": "Demo", "role": "member"}],
    }
    assert "no-store" in answer["Cache-Control"]


def test_a_tenant_that_is_switched_off_is_not_listed(seeded: Any, client: Client) -> None:
    Tenant.objects.filter(slug="demo").update(is_active=False)
    client.force_login(seeded.user("bob"))
    assert client.get("/api/me").json()["tenants"] == []


def test_nobody_is_told_that_they_are_nobody(db: None, client: Client) -> None:
    assert client.get("/api/me").status_code == 401


def test_nobody_registers_applications_by_themselves(seeded: Any, client: Client) -> None:
    client.force_login(seeded.user("vera"))
    assert client.get("/o/applications/").status_code == 404
    assert client.post("/o/register/", {}, content_type="application/json").status_code == 404


@pytest.mark.parametrize("model", ["tenant", "membership", "clientbinding"])
def test_operators_see_tenants_and_members(seeded: Any, client: Client, model: str) -> None:
    operator = seeded.user("alice")
    operator.is_staff = operator.is_superuser = True
    operator.save()
    client.force_login(operator)
    assert client.get(f"/admin/auth_app/{model}/").status_code == 200
