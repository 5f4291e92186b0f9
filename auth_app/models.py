"""Which tenants are there, who belongs to them, and what do they hold there?

A user of Django may belong to several tenants. Access tokens are django-oauth-toolkit's own rows; what we know of one
beyond that (for which tenant it was made) stands beside it in `TokenBinding`.
"""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.core.validators import RegexValidator
from django.db import models

from ahp_platform.eventlog.models import TenantRow
from ahp_platform.tenancy import TenantManager
from auth_app.roles import Role as Role
from auth_app.sso.models import ClaimMapping as ClaimMapping
from auth_app.sso.models import IdentityProvider as IdentityProvider
from auth_app.sso.models import LinkedIdentity as LinkedIdentity
from auth_app.sso.models import MappedMembership as MappedMembership

SLUG_PATTERN = r"\A[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\Z"
SLUG = RegexValidator(SLUG_PATTERN, "Lower-case letters, digits and inner hyphens.")
# As long as the handshake lets a client's id be; an index entry holds it even if each character takes four bytes.
CLIENT_ID_LENGTH = 256
LOCALE_LENGTH = 64


class Tenant(models.Model):
    """One organisation: one AHP host with its own root, numbering, members and files.

    `settings` knows `default_visibility` ("private" or "tenant"): what a session is whose creator does not say.
    """

    slug = models.CharField(max_length=63, unique=True, validators=[SLUG], help_text="Its name in addresses, for ever.")
    name = models.CharField(max_length=200)
    is_active = models.BooleanField(default=True, help_text="Where off, nobody gets in and open sockets close.")
    settings = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["slug"]

    def __str__(self) -> str:
        return self.slug


class Membership(models.Model):
    """A user's place in a tenant."""

    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=16, choices=Role.choices, default=Role.MEMBER)

    class Meta:
        ordering: ClassVar = ["tenant", "user"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["tenant", "user"], name="one_membership_per_tenant")]

    def __str__(self) -> str:
        return f"{self.user} in {self.tenant}: {self.role}"


class TokenBinding(models.Model):
    """The tenant that an access token was made for; it opens no other. One without serves every tenant of its user."""

    access_token = models.OneToOneField(
        "oauth2_provider.AccessToken", on_delete=models.CASCADE, primary_key=True, related_name="binding"
    )
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="+")

    def __str__(self) -> str:
        return f"token {self.access_token_id} of {self.tenant}"


class ApplicationTenant(models.Model):
    """The one tenant that an application is for; a script of it acts as the application's user. Others serve any tenant."""

    application = models.OneToOneField(
        "oauth2_provider.Application", on_delete=models.CASCADE, primary_key=True, related_name="tenancy"
    )
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="+")

    def __str__(self) -> str:
        return f"application {self.application_id} of {self.tenant}"


class CodeTenant(models.Model):
    """The tenant that a user chose when they allowed an application in: its tokens are for that one."""

    grant = models.OneToOneField(
        "oauth2_provider.Grant", on_delete=models.CASCADE, primary_key=True, related_name="tenancy"
    )
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="+")

    def __str__(self) -> str:
        return f"code of {self.tenant}"


class DeviceTenant(models.Model):
    """The tenant that a user chose when they allowed a device in."""

    device = models.OneToOneField(
        "oauth2_provider.DeviceGrant", on_delete=models.CASCADE, primary_key=True, related_name="tenancy"
    )
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="+")

    def __str__(self) -> str:
        return f"device of {self.tenant}"


class ClientBinding(models.Model):
    """The user who used a client id first. `life` counts its introductions: with it, a clientSeq names one action."""

    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="+", db_index=False)
    client_id = models.CharField(max_length=CLIENT_ID_LENGTH)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    life = models.IntegerField(default=1)
    version = models.CharField(
        max_length=32, blank=True, default="", help_text="The protocol version it negotiated last."
    )
    locale = models.CharField(
        max_length=LOCALE_LENGTH, blank=True, default="", help_text="The language it asked for last."
    )
    created_at = models.DateTimeField(auto_now_add=True)
    used_at = models.DateTimeField(auto_now_add=True)

    unscoped = models.Manager()
    objects = TenantManager()

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["tenant", "client_id"], name="one_user_per_client_id")]

    def __str__(self) -> str:
        return f"client {self.client_id}"


class ResourceGrant(models.Model):
    """A token that a user gave us for a protected resource, encrypted; used for that user's turns alone.

    Where our own server issued it, `access_token` is its row: revoking the one takes the other along.
    """

    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="+", db_index=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    resource = models.CharField(max_length=512)
    token = models.BinaryField()
    access_token = models.ForeignKey(
        "oauth2_provider.AccessToken", on_delete=models.CASCADE, null=True, related_name="+"
    )
    scopes = models.TextField(blank=True, default="")
    expires_at = models.DateTimeField(null=True)
    stored_at = models.DateTimeField(auto_now=True)

    unscoped = models.Manager()
    objects = TenantManager()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["tenant", "user", "resource"], name="one_grant_per_resource")
        ]

    def __str__(self) -> str:
        return f"grant of user {self.user_id} for {self.resource}"


class AuditEvent(models.Model):
    """One act that matters. Rows are only added, and outlive the users and tenants that they name."""

    at = models.DateTimeField(auto_now_add=True, db_index=True)
    tenant = models.ForeignKey(Tenant, on_delete=models.DO_NOTHING, null=True, db_constraint=False, related_name="+")
    user_id = models.IntegerField(null=True)
    username = models.TextField(blank=True, default="")
    address = models.TextField(blank=True, default="")
    act = models.TextField()
    subject = models.TextField(blank=True, default="", help_text="What it was done to: a name, never contents.")
    outcome = models.TextField(choices=[("done", "Done"), ("refused", "Refused")])

    class Meta:
        ordering: ClassVar = ["-at", "-id"]
        indexes: ClassVar = [models.Index(fields=["tenant", "-at"], name="audit_by_tenant")]

    def __str__(self) -> str:
        return f"{self.act} by {self.username or 'the service'}: {self.outcome}"


class Quota(models.Model):
    """How much a tenant, or (without one) every tenant that has no row of its own, may use; empty is without limit."""

    tenant = models.OneToOneField(Tenant, on_delete=models.CASCADE, null=True, blank=True, related_name="quota")
    sockets = models.PositiveIntegerField(null=True, blank=True, help_text="Open at once.")
    sockets_per_user = models.PositiveIntegerField(null=True, blank=True)
    sessions = models.PositiveIntegerField(null=True, blank=True)
    sessions_per_user = models.PositiveIntegerField(null=True, blank=True)
    running_turns = models.PositiveIntegerField(null=True, blank=True)
    running_turns_per_user = models.PositiveIntegerField(null=True, blank=True)
    tokens_per_day = models.PositiveBigIntegerField(null=True, blank=True, help_text="Of models: input and output.")
    tokens_per_day_per_user = models.PositiveBigIntegerField(null=True, blank=True)
    terminals = models.PositiveIntegerField(null=True, blank=True, help_text="Open at once.")
    terminals_per_user = models.PositiveIntegerField(null=True, blank=True)
    bytes_stored = models.PositiveBigIntegerField(
        null=True, blank=True, help_text="Contents that sessions show, and files in workspaces as last measured."
    )
    bytes_stored_per_user = models.PositiveBigIntegerField(
        null=True, blank=True, help_text="Of the sessions that a user owns."
    )
    messages_per_second = models.PositiveIntegerField(
        null=True, blank=True, help_text="Over all sockets; four seconds' worth may come at once."
    )
    messages_per_second_per_user = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["tenant"], name="one_quota_per_tenant", nulls_distinct=False)
        ]

    def __str__(self) -> str:
        return f"quota of {self.tenant or 'tenants without their own'}"


class OpenSocket(models.Model):
    """A socket that some process holds. `ending` asks that process to close it."""

    id = models.UUIDField(primary_key=True)
    worker_id = models.UUIDField()
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    client_id = models.TextField(blank=True, default="")
    address = models.TextField(blank=True, default="")
    opened_at = models.DateTimeField(auto_now_add=True)
    ending = models.BooleanField(default=False)

    class Meta:
        ordering: ClassVar = ["-opened_at"]

    def __str__(self) -> str:
        return f"socket of {self.user} in {self.tenant}"


class WorkspaceBytes(TenantRow):
    """What the files of a tenant's workspaces take: those of one user's sessions, or (user 0) those that are everybody's."""

    user_id = models.IntegerField()
    bytes = models.BigIntegerField(default=0)
    measured_at = models.DateTimeField()

    class Meta(TenantRow.Meta):
        constraints: ClassVar = [models.UniqueConstraint(fields=["tenant", "user_id"], name="bytes_once_per_user")]

    def __str__(self) -> str:
        return f"{self.bytes} bytes of user {self.user_id}"


class Invitation(models.Model):
    """A place in a tenant for whoever has the link. Its secret is known by its SHA-256 alone, and good once."""

    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="invitations")
    role = models.CharField(max_length=16, choices=Role.choices, default=Role.MEMBER)
    note = models.CharField(max_length=200, blank=True, default="", help_text="For whom it is meant.")
    checksum = models.CharField(max_length=64, unique=True, editable=False)
    invited_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, editable=False, related_name="+"
    )
    expires_at = models.DateTimeField()
    accepted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, editable=False, related_name="+"
    )
    accepted_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        ordering: ClassVar = ["-expires_at"]

    def __str__(self) -> str:
        return f"invitation to {self.tenant} as {self.role}"
