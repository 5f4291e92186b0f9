"""Which identity providers do we believe, what do their claims give, and who is linked to whom?"""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator, URLValidator
from django.db import models

from auth_app.roles import Role

LOOPBACK = ("http://127.0.0.1:", "http://localhost:")


def require_https(address: str) -> None:
    """Keys and tokens come from there: over TLS, or from one's own machine."""
    if not address.startswith(("https://", *LOOPBACK)) or "?" in address or "#" in address:
        raise ValidationError("An https:// address without a query; http:// only on this machine (127.0.0.1).")


class IdentityProvider(models.Model):
    """An OpenID Connect provider whose word we take for who somebody is."""

    slug = models.SlugField(
        max_length=63,
        unique=True,
        validators=[RegexValidator(r"\A[a-z0-9-]+\Z", "Lower-case letters, digits and hyphens.")],
        help_text="Its name in the redirect URI that the provider has to allow: <AHP_PUBLIC_URL>/login/with/SLUG/back",
    )
    name = models.CharField(max_length=100, help_text="As the button says: Log in with NAME.")
    is_active = models.BooleanField(default=True, help_text="Where off, nobody logs in with it; who is in stays in.")
    issuer = models.CharField(
        max_length=500,
        validators=[require_https],
        help_text="Exactly as its discovery document and its tokens spell it.",
    )
    client_id = models.CharField(max_length=255)
    secret = models.BinaryField(blank=True, default=b"", editable=False)
    scopes = models.CharField(max_length=500, default="openid profile email")
    username_claim = models.CharField(max_length=100, default="preferred_username")
    email_claim = models.CharField(max_length=100, default="email", blank=True)
    creates_people = models.BooleanField(
        default=False, help_text="Whether somebody who was never here gets an account at their first login."
    )
    domains = models.CharField(
        max_length=1000,
        blank=True,
        default="",
        help_text="Only people whose e-mail address, verified by the provider, is in one of these domains; empty: all.",
    )

    class Meta:
        ordering: ClassVar = ["name"]

    def __str__(self) -> str:
        return self.name

    def domain_names(self) -> list[str]:
        """The allowed domains, in lower case."""
        return [name.lstrip("@").lower() for name in self.domains.replace(",", " ").split()]

    def clean(self) -> None:
        """Without `openid` there is no identity."""
        if "openid" not in self.scopes.split():
            raise ValidationError({"scopes": "must contain openid"})
        URLValidator(schemes=["http", "https"])(self.issuer)


class ClaimMapping(models.Model):
    """Whoever comes with this value of this claim is in this tenant with this role, for as long as they come with it."""

    provider = models.ForeignKey(IdentityProvider, on_delete=models.CASCADE, related_name="mappings")
    claim = models.CharField(
        max_length=200,
        blank=True,
        default="",
        help_text="A claim, or a path like realm_access.roles; empty: everybody.",
    )
    value = models.CharField(
        max_length=200, blank=True, default="", help_text="What it must be, or have among its values; empty: anything."
    )
    tenant = models.ForeignKey("auth_app.Tenant", on_delete=models.CASCADE, related_name="+")
    role = models.CharField(max_length=16, choices=Role.choices, default=Role.MEMBER)

    class Meta:
        ordering: ClassVar = ["pk"]

    def __str__(self) -> str:
        return f"{self.claim or 'everybody'} {self.value}: {self.role} of {self.tenant}"


class LinkedIdentity(models.Model):
    """The account here of somebody at a provider, who is known there by issuer and subject and by nothing else."""

    provider = models.ForeignKey(IdentityProvider, on_delete=models.CASCADE, related_name="identities")
    issuer = models.CharField(max_length=500)
    subject = models.CharField(max_length=255)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="identities")
    linked_at = models.DateTimeField(auto_now_add=True)
    last_login_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        verbose_name_plural = "linked identities"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["issuer", "subject"], name="one_account_per_subject"),
        ]

    def __str__(self) -> str:
        return f"{self.user} at {self.provider}"


class MappedMembership(models.Model):
    """A membership that a mapping gave, and with which role. One whose role an operator has changed since is theirs."""

    membership = models.OneToOneField(
        "auth_app.Membership", on_delete=models.CASCADE, primary_key=True, related_name="mapped"
    )
    provider = models.ForeignKey(IdentityProvider, on_delete=models.CASCADE, related_name="+")
    role = models.CharField(max_length=16, choices=Role.choices)

    def __str__(self) -> str:
        return f"{self.membership} by {self.provider}"
