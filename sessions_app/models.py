"""What do sessions keep in tables besides their channels?

Projections of the log, written in the same transaction as the actions they come from: lists and reports read them
without touching a state. The SQL that maintains them is in `rows.py`.
"""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models

from ahp_platform.leases.models import LeasedRow
from ahp_platform.tenancy import TenantManager


class SessionRow(models.Model):
    """Every row belongs to a tenant and goes with it."""

    tenant = models.ForeignKey("auth_app.Tenant", on_delete=models.CASCADE, db_index=False, related_name="+")

    unscoped = models.Manager()
    objects = TenantManager()

    class Meta:
        abstract = True


class Session(SessionRow):
    """One session of the catalogue. `summary` is the JSON of its `SessionSummary`, ready to be sent."""

    pk = models.CompositePrimaryKey("tenant_id", "uri")
    uri = models.TextField()
    owner_id = models.IntegerField()
    readers = ArrayField(models.IntegerField(), null=True, help_text="Users who may see it; null means the tenant.")
    provider = models.TextField()
    title = models.TextField()
    status = models.IntegerField()
    created_at = models.DateTimeField()
    modified_at = models.DateTimeField()
    summary = models.TextField()
    unprepared_since = models.DateTimeField(null=True, help_text="Set until the workspace is prepared.")
    progress_client = models.TextField(null=True)
    progress_token = models.TextField(null=True)

    class Meta(SessionRow.Meta):
        indexes = [models.Index(fields=["tenant", "-modified_at", "-uri"], name="session_newest_first")]


class LiveSession(models.Model):
    """A session as operators list it: a view, with one column that names the row, and the turns that run in it."""

    tenant_id: int
    id = models.TextField(primary_key=True)
    tenant = models.ForeignKey("auth_app.Tenant", on_delete=models.DO_NOTHING, related_name="+")
    uri = models.TextField("URI")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.DO_NOTHING, related_name="+")
    provider = models.TextField("agent")
    title = models.TextField()
    status = models.IntegerField()
    is_private = models.BooleanField("private")
    running_turns = models.IntegerField()
    created_at = models.DateTimeField()
    modified_at = models.DateTimeField("last change")

    class Meta:
        managed = False
        db_table = "sessions_app_livesession"
        verbose_name = "live session"
        ordering = ["-modified_at"]

    def __str__(self) -> str:
        return f"{self.tenant} {self.uri}"


class ActiveClient(SessionRow):
    """A client that offers tools in a session, and the connection that last spoke for it."""

    pk = models.CompositePrimaryKey("tenant_id", "session", "client_id")
    session = models.TextField()
    client_id = models.TextField()
    worker_id = models.UUIDField()
    connection_id = models.TextField()
    lost_at = models.DateTimeField(null=True, help_text="When its connection was found gone.")


class QueuedMessage(SessionRow):
    """Who queued a message: its turn acts with the rights of that user."""

    pk = models.CompositePrimaryKey("tenant_id", "chat", "message_id")
    chat = models.TextField()
    message_id = models.TextField()
    user_id = models.IntegerField()


class Equipment(LeasedRow):
    """A session whose customizations and MCP servers are kept by a host process, or were until nobody cared."""

    class State(models.TextChoices):
        """`waiting` for a host, `running` on one, or `idle` until somebody cares again."""

        WAITING = "waiting"
        RUNNING = "running"
        IDLE = "idle"

    session = models.TextField()
    state = models.TextField(choices=State.choices, default=State.WAITING)
    wanted_until = models.DateTimeField(help_text="Until then it is kept although nothing happens.")

    class Meta(LeasedRow.Meta):
        constraints = [models.UniqueConstraint(fields=["tenant", "session"], name="equipment_once_per_session")]
        indexes = [
            models.Index(fields=["id"], name="equipment_to_claim", condition=models.Q(state="waiting")),
            models.Index(fields=["lease_until"], name="equipment_lease", condition=models.Q(state="running")),
        ]


class Challenge(SessionRow):
    """What an MCP server of a session asks tokens for. `metadata` is the JSON of its `ProtectedResourceMetadata`."""

    pk = models.CompositePrimaryKey("tenant_id", "session", "server")
    session = models.TextField()
    server = models.TextField()
    resource = models.TextField()
    metadata = models.TextField()

    class Meta(SessionRow.Meta):
        indexes = [models.Index(fields=["tenant", "resource"], name="challenge_by_resource")]
