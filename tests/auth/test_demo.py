"""Are the demo people there, once?"""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError

from auth_app.demo import seed_demo
from auth_app.models import Membership, Tenant


def test_the_demo_people_are_new_once_and_can_log_in(db: None) -> None:
    made = seed_demo()
    assert [(person.tenant, person.username) for person in made] == [
        ("demo", "alice"),
        ("demo", "bob"),
        ("demo", "vera"),
        ("other", "carol"),
    ]
    assert all(User.objects.get(username=person.username).check_password(person.password) for person in made)
    assert seed_demo() == []


def test_seeding_again_leaves_what_was_changed(db: None) -> None:
    seed_demo()
    Membership.objects.filter(user__username="bob").update(role="viewer")
    Tenant.objects.filter(slug="demo").update(settings={"default_visibility": "private"})
    seed_demo()
    assert Membership.objects.get(user__username="bob").role == "viewer"
    assert Tenant.objects.get(slug="demo").settings == {"default_visibility": "private"}


@pytest.mark.parametrize("slug", ["", "Demo", "-demo", "demo-", "de mo", "de/mo", "..", "demo\n", "x" * 64])
def test_a_slug_is_safe_in_addresses_and_paths(slug: str) -> None:
    with pytest.raises(ValidationError):
        Tenant(slug=slug, name="x").clean_fields()
