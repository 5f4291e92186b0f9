"""Whose account is it that a provider's claims are about?

An account is found by issuer and subject alone: names and e-mail addresses are what people choose, and two providers may give the same
one to two people. Who has no account yet gets one, where the provider's row says so, under a name that nobody had.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import count
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone

from auth_app import audit
from auth_app.sso import memberships
from auth_app.sso.client import NotLoggedIn
from auth_app.sso.models import IdentityProvider, LinkedIdentity

Claims = Mapping[str, Any]
MAX_NAME = 150
NO_PLACE = "You are known, but belong to no organisation here. Ask whoever runs this service to let you in."


@transaction.atomic
def person_of(provider: IdentityProvider, claims: Claims) -> User:
    """The account, with the memberships that the claims give now; raises `NotLoggedIn`."""
    _require_domain(provider, claims)
    found = LinkedIdentity.objects.select_related("user").filter(issuer=provider.issuer, subject=claims["sub"]).first()
    if found is not None and not found.user.is_active:
        raise NotLoggedIn("disabled", "This account has been switched off. Ask whoever runs this service.")
    link = found or _new_person(provider, claims)
    link.last_login_at = timezone.now()
    link.save(update_fields=["last_login_at"])
    memberships.apply(provider, link.user, claims)
    if not (link.user.is_superuser or link.user.memberships.filter(tenant__is_active=True).exists()):
        # An account that was made just now is unmade with the transaction.
        raise NotLoggedIn("no_membership", NO_PLACE)
    return link.user


def _require_domain(provider: IdentityProvider, claims: Claims) -> None:
    allowed = provider.domain_names()
    domain = verified_email(provider, claims).rpartition("@")[2].lower()
    if allowed and domain not in allowed:
        raise NotLoggedIn("domain", "Your e-mail address is not one that this service lets in, or is not verified.")


def verified_email(provider: IdentityProvider, claims: Claims) -> str:
    """The e-mail address, where the provider vouches for it."""
    email = claims.get(provider.email_claim) if provider.email_claim else None
    return email if isinstance(email, str) and "@" in email and claims.get("email_verified") is True else ""


def _new_person(provider: IdentityProvider, claims: Claims) -> LinkedIdentity:
    if not provider.creates_people:
        raise NotLoggedIn(
            "unknown", "Nobody here is linked to this identity. Ask whoever runs this service to link you."
        )
    wanted = claims.get(provider.username_claim)
    name = re.sub(r"[^\w.@+-]+", "-", wanted)[: MAX_NAME - 20].strip("-") if isinstance(wanted, str) else ""
    user = _made(name or "person", provider, verified_email(provider, claims)[:254])
    audit.record("person.created", user, subject=f"by {provider.slug}")
    return LinkedIdentity.objects.create(provider=provider, issuer=provider.issuer, subject=claims["sub"], user=user)


def _made(name: str, provider: IdentityProvider, email: str) -> User:
    """A new account. A name that somebody has is theirs, whatever the provider says."""
    for attempt in count():
        free = [name, f"{name}.{provider.slug}"[:MAX_NAME], f"{name}.{attempt}"[:MAX_NAME]][min(attempt, 2)]
        try:
            with transaction.atomic():
                return User.objects.create_user(free, email)
        except IntegrityError:
            continue
    raise AssertionError("unreachable")
