"""What do resources keep in tables: contents outside of states, and which process watches what?"""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models

from ahp_platform.tenancy import TenantManager


class ResourceRow(models.Model):
    """Every row belongs to a tenant and goes with it."""

    tenant = models.ForeignKey("auth_app.Tenant", on_delete=models.CASCADE, db_index=False, related_name="+")

    unscoped = models.Manager()
    objects = TenantManager()

    class Meta:
        abstract = True


class Content(ResourceRow):
    """Bytes that a tenant has once, whichever sessions show them: in `data`, or in the file store at `location`."""

    pk = models.CompositePrimaryKey("tenant_id", "sha256")
    sha256 = models.TextField()
    size = models.BigIntegerField()
    data = models.BinaryField(null=True)
    location = models.TextField(null=True)
    used_at = models.DateTimeField(help_text="When it was last stored; what no session shows is kept a while longer.")


class ContentUse(ResourceRow):
    """A session that shows a content, and as what."""

    pk = models.CompositePrimaryKey("tenant_id", "session", "sha256")
    session = models.TextField()
    sha256 = models.TextField()
    content_type = models.TextField()


class Watch(ResourceRow):
    """A resource watch and the process that watches; those of dead processes are closed by a sweep."""

    pk = models.CompositePrimaryKey("tenant_id", "uri")
    uri = models.TextField()
    worker_id = models.UUIDField()


class LeastRole(models.TextChoices):
    """Whom a rule is for: everybody from this role upwards, in this order."""

    VIEWER = "viewer", "everybody"
    MEMBER = "member", "members and above"
    OPERATOR = "operator", "operators and owners"
    OWNER = "owner", "owners"


class FileRule(ResourceRow):
    """A place on this machine that people of a tenant reach without asking. `path` is absolute and holds what is below it."""

    path = models.TextField(
        help_text="A file or directory below one of AHP_GRANTABLE_ROOTS; what is below it is meant too."
    )
    writes = models.BooleanField("may be changed", default=False)
    role = models.CharField("for", max_length=16, choices=LeastRole.choices, default=LeastRole.MEMBER)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["tenant", "path"], name="one_rule_per_path")]

    def __str__(self) -> str:
        return f"{self.path} in {self.tenant}"


class FileGrant(ResourceRow):
    """A user's request for such a place, and what became of it: undecided, denied (`granted_until` empty), or granted for
    a time; `writes` includes reading.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    path = models.TextField()
    writes = models.BooleanField("to be changed")
    asked_at = models.DateTimeField()
    decided_at = models.DateTimeField(null=True)
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    granted_until = models.DateTimeField(null=True)

    class Meta:
        ordering: ClassVar = ["-asked_at"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["tenant", "user", "path", "writes"], name="one_grant_per_wish")
        ]

    def __str__(self) -> str:
        return f"{self.user}: {self.path}"
