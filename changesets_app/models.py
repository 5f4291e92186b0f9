"""What do resources keep in tables: contents outside of states, and which process watches what?"""

from __future__ import annotations

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
