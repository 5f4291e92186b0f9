"""What can operators of the installation decide about files in the admin site, and is it written down?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from ahp_platform.workspaces.granted import grantable, refused_roots
from ahp_platform.workspaces.paths import LeadsOut
from auth_app.models import AuditEvent
from changesets_app.models import FileGrant, FileRule
from tests.auth.conftest import seeded as seeded


@pytest.fixture
def operator(seeded: Any) -> Client:
    user = seeded.user("alice")
    user.is_staff = user.is_superuser = True
    user.save()
    browser = Client()
    browser.force_login(user)
    return browser


@pytest.fixture
def shared(tmp_path: Path, settings: Any) -> Path:
    """What may be granted here."""
    settings.AHP_GRANTABLE_ROOTS = (str(tmp_path / "shared"),)
    (tmp_path / "shared/data").mkdir(parents=True)
    return tmp_path / "shared"


def acts() -> list[tuple[str, str]]:
    found = AuditEvent.objects.filter(act__startswith="file").order_by("id").values_list("act", "username")
    return [(act, username) for act, username in found]


def test_a_rule_is_for_a_place_that_may_be_granted(seeded: Any, operator: Client, shared: Path) -> None:
    form = {"tenant": seeded.tenant().pk, "role": "member", "writes": "on"}
    for path in ("/etc", f"{shared}/../up", f"{shared}-not", "relative", str(shared.parent)):
        answer = operator.post("/admin/changesets_app/filerule/add/", {**form, "path": path})
        assert "AHP_GRANTABLE_ROOTS." in answer.content.decode()
    assert operator.post("/admin/changesets_app/filerule/add/", {**form, "path": f"{shared}//data/"}).status_code == 302
    (rule,) = FileRule.unscoped.all()
    assert (rule.path, rule.writes, rule.role) == (f"{shared}/data", True, "member")
    assert operator.get("/admin/changesets_app/filerule/").status_code == 200
    operator.post(f"/admin/changesets_app/filerule/{rule.pk}/delete/", {"post": "yes"})
    assert acts() == [("file_rule.added", "alice"), ("file_rule.removed", "alice")]


def test_a_request_is_granted_denied_and_revoked(seeded: Any, operator: Client, shared: Path) -> None:
    wish = FileGrant.unscoped.create(
        tenant=seeded.tenant(), user=seeded.user("bob"), path=str(shared), writes=False, asked_at=timezone.now()
    )
    page = "/admin/changesets_app/filegrant/"
    assert str(shared) in operator.get(page).content.decode()
    for action, is_open in (
        ("open_for_an_hour", True),
        ("revoke", False),
        ("open_for_15_minutes", True),
        ("deny", False),
    ):
        operator.post(page, {"action": action, "_selected_action": [str(wish.pk)]})
        wish.refresh_from_db()
        assert bool(wish.granted_until and wish.granted_until > timezone.now()) is is_open
        assert wish.decided_by == seeded.user("alice")
    assert [act for act, _ in acts()] == ["file.granted", "file.revoked", "file.granted", "file.denied"]


def test_what_holds_tenants_own_files_is_not_to_be_granted(tmp_path: Path, settings: Any) -> None:
    settings.AHP_DATA_DIR = tmp_path / "data"
    roots = (str(tmp_path), str(tmp_path / "data"), str(tmp_path / "data/workspaces"), "/", "relative")
    settings.AHP_GRANTABLE_ROOTS = roots
    assert tuple(refused_roots()) == roots
    for place in (tmp_path / "x", tmp_path / "data/workspaces/other", Path("/etc")):
        with pytest.raises(LeadsOut):
            grantable(place.parts[1:])
