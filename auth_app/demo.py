"""Who is there to try the service with?"""

from __future__ import annotations

import secrets
from typing import Final, NamedTuple

from django.contrib.auth.models import User
from django.db import transaction

from auth_app.models import Membership, Role, Tenant

TENANTS: Final = {"demo": "Demo", "other": "Other"}
PEOPLE: Final = [
    ("demo", "alice", Role.OWNER),
    ("demo", "bob", Role.MEMBER),
    ("demo", "vera", Role.VIEWER),
    ("other", "carol", Role.OWNER),
]


class NewPerson(NamedTuple):
    """Somebody who was not there before; the password is known here and nowhere else."""

    tenant: str
    username: str
    password: str


@transaction.atomic
def seed_demo() -> list[NewPerson]:
    """Make the demo tenants and their people where they are missing, and return those that are new.

    What is there stays as it is: a role or a setting that somebody changed is not changed back.
    """
    for slug, name in TENANTS.items():
        Tenant.objects.get_or_create(slug=slug, defaults={"name": name, "settings": {"default_visibility": "tenant"}})
    made = []
    for slug, username, role in PEOPLE:
        user, is_new = User.objects.get_or_create(username=username)
        if is_new:
            password = secrets.token_urlsafe(12)
            user.set_password(password)
            user.save(update_fields=["password"])
            made.append(NewPerson(slug, username, password))
        tenant = Tenant.objects.get(slug=slug)
        Membership.objects.get_or_create(tenant=tenant, user=user, defaults={"role": role})
    return made
