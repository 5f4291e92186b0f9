"""Which memberships do a provider's claims give, and which no longer?

Evaluated at every login. What a mapping gave, a mapping takes away; what an operator gave by hand, or has changed since, is theirs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import User

from auth_app.models import Membership
from auth_app.roles import Role
from auth_app.sso.models import ClaimMapping, IdentityProvider, MappedMembership

Claims = Mapping[str, Any]

_MOST_FIRST = [role.value for role in Role]


def apply(provider: IdentityProvider, user: User, claims: Claims) -> None:
    """Make the user's memberships those that the claims give. To be called in a transaction."""
    wanted = _wanted(provider, claims)
    given = MappedMembership.objects.select_related("membership").filter(provider=provider, membership__user=user)
    for mapped in given:
        role = wanted.pop(mapped.membership.tenant_id, None)
        if mapped.membership.role != mapped.role:
            mapped.delete()  # an operator has changed it: from now on it is theirs
        elif role is None:
            mapped.membership.delete()
        elif role != mapped.role:
            mapped.membership.role = mapped.role = role
            mapped.membership.save(update_fields=["role"])
            mapped.save(update_fields=["role"])
    for tenant_id, role in wanted.items():
        there, is_new = Membership.objects.get_or_create(tenant_id=tenant_id, user=user, defaults={"role": role})
        if is_new:
            MappedMembership.objects.create(membership=there, provider=provider, role=role)


def _wanted(provider: IdentityProvider, claims: Claims) -> dict[int, str]:
    """Tenant to role; of several roles in one tenant, the one that may do most."""
    wanted: dict[int, str] = {}
    for mapping in provider.mappings.all():
        if fits(mapping, claims):
            before = wanted.get(mapping.tenant_id, mapping.role)
            wanted[mapping.tenant_id] = min(before, mapping.role, key=_MOST_FIRST.index)
    return wanted


def fits(mapping: ClaimMapping, claims: Claims) -> bool:
    """Whether the claims have what the mapping asks for."""
    if not mapping.claim:
        return True
    found = _at(claims, mapping.claim)
    values = found if isinstance(found, list) else [] if found is None else [found]
    return any(not mapping.value or _text(value) == mapping.value for value in values)


def _at(claims: Claims, path: str) -> Any:
    """A claim by its name, which may itself have dots (`https://acme.example/groups`), else by a path."""
    if path in claims:
        return claims[path]
    found: Any = claims
    for name in path.split("."):
        found = found.get(name) if isinstance(found, Mapping) else None
    return found


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
