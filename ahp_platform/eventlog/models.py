"""What does the log keep in PostgreSQL?

Five tables. The hot statements on them are raw SQL (`sql.py`); the models give migrations, the admin site and
retention. Source: DESIGN.md section 3.
"""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models

from ahp_platform.tenancy import TenantManager


class TenantRow(models.Model):
    """Every row belongs to a tenant and goes with it."""

    tenant = models.ForeignKey("auth_app.Tenant", on_delete=models.CASCADE, db_index=False, related_name="+")

    unscoped = models.Manager()
    objects = TenantManager()

    class Meta:
        abstract = True


class TenantClock(models.Model):
    """The number last issued in a tenant. Locking this row is what orders commits: readers never see 8 before 7."""

    tenant = models.OneToOneField("auth_app.Tenant", on_delete=models.CASCADE, primary_key=True, related_name="+")
    seq = models.BigIntegerField(default=0)
    floor = models.BigIntegerField(default=0, help_text="Actions up to this number are no longer kept for replay.")


class Event(TenantRow):
    """One numbered thing that happened in a tenant, in the order in which it happened."""

    class Kind(models.IntegerChoices):
        """What a row stands for; only actions are replayed to clients."""

        ACTION = 0
        NOTICE = 1
        OPENED = 2
        CLOSED = 3
        READERS = 4

    pk = models.CompositePrimaryKey("tenant_id", "seq")
    # Without a constraint in the database: checking it once per row would cost more than the row. The clock has one.
    tenant = models.ForeignKey(
        "auth_app.Tenant", on_delete=models.CASCADE, db_index=False, db_constraint=False, related_name="+"
    )
    seq = models.BigIntegerField()
    kind = models.SmallIntegerField(choices=Kind.choices)
    channel = models.TextField()
    body = models.TextField(help_text="The JSON of the action, notice or access list, as it goes to clients.")
    client_id = models.TextField(null=True)
    client_life = models.IntegerField(null=True)
    client_seq = models.BigIntegerField(null=True)
    user_id = models.IntegerField(null=True)
    readers = ArrayField(models.IntegerField(), null=True, help_text="Users whom a notice is for; null means all.")
    recorded_at = models.DateTimeField()

    class Meta(TenantRow.Meta):
        indexes = [models.Index(fields=["tenant", "channel", "seq"], name="event_by_channel")]
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "client_id", "client_life", "client_seq"],
                condition=models.Q(client_id__isnull=False),
                name="event_once_per_client_seq",
            )
        ]


class Channel(TenantRow):
    """A channel that exists, with the latest checkpoint of its state (without the rows kept as segments)."""

    pk = models.CompositePrimaryKey("tenant_id", "uri")
    uri = models.TextField()
    kind = models.TextField()
    parent = models.TextField(null=True, help_text="The session a chat, terminal or changeset belongs to.")
    readers = ArrayField(models.IntegerField(), null=True, help_text="Users who may read it; null means the tenant.")
    opened_by = models.IntegerField(null=True)
    opened_ms = models.BigIntegerField()
    born_seq = models.BigIntegerField()
    state_seq = models.BigIntegerField()
    state = models.TextField()

    class Meta(TenantRow.Meta):
        indexes = [models.Index(fields=["tenant", "parent"], name="channel_by_parent")]


class Segment(TenantRow):
    """One completed turn of a chat: written once, so that a checkpoint does not repeat the whole history."""

    pk = models.CompositePrimaryKey("tenant_id", "channel", "ordinal")
    channel = models.TextField()
    ordinal = models.IntegerField()
    body = models.TextField()


class Worker(models.Model):
    """A process of ours, alive while `seen_at` is fresh. What a dead one held is given up by the sweepers."""

    id = models.UUIDField(primary_key=True)
    roles = models.TextField()
    started_at = models.DateTimeField()
    seen_at = models.DateTimeField(db_index=True)
