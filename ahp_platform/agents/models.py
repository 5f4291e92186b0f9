"""What is kept of a turn besides its transcript: who runs it, until when, and what reports want to know?

The transcript is the log's. This row is inserted and ended in the same transaction as the actions that start and end the turn
(`turns.py`); in between it is claimed by one host, which holds it by a lease (`ahp_platform.leases`). Source: DESIGN.md section 5.
"""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from ahp_platform.agents.catalogue.rows import Agent as Agent
from ahp_platform.agents.catalogue.rows import CatalogueVersion as CatalogueVersion
from ahp_platform.eventlog.models import TenantRow
from ahp_platform.leases.models import LeasedRow


class Turn(LeasedRow):
    """One turn of a chat."""

    class State(models.TextChoices):
        """`waiting` for a host, `running` on one, or ended in one of three ways."""

        WAITING = "waiting"
        RUNNING = "running"
        COMPLETE = "complete"
        CANCELLED = "cancelled"
        ERROR = "error"

    chat = models.TextField()
    session = models.TextField()
    turn_id = models.TextField()
    provider = models.TextField()
    state = models.TextField(choices=State.choices, default=State.WAITING)
    error_type = models.TextField(null=True)
    user_id = models.IntegerField(null=True, help_text="Who started it; the turn acts with this user's credentials.")
    model = models.TextField(default="")
    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    duration_ms = models.BigIntegerField(null=True)
    input_tokens = models.BigIntegerField(default=0)
    output_tokens = models.BigIntegerField(default=0)
    cached_tokens = models.BigIntegerField(default=0)

    class Meta(LeasedRow.Meta):
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["tenant", "chat", "turn_id"], name="turn_once_per_chat")
        ]
        indexes: ClassVar = [
            models.Index(fields=["id"], name="turn_to_claim", condition=models.Q(state="waiting")),
            models.Index(fields=["lease_until"], name="turn_lease", condition=models.Q(state="running")),
            models.Index(fields=["tenant", "created_at"], name="turn_report"),
        ]

    def __str__(self) -> str:
        return f"{self.chat} {self.turn_id}"


class Conversation(TenantRow):
    """What an agent calls a chat, and what it offers there. `seen` is the last turn that it was prompted with."""

    session = models.TextField()
    chat = models.TextField()
    provider = models.TextField()
    agent_session_id = models.TextField(default="")
    seen = models.TextField(default="")
    commands = models.JSONField(default=list)
    changed_at = models.DateTimeField()

    class Meta(TenantRow.Meta):
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["tenant", "chat", "provider"], name="conversation_once_per_chat")
        ]

    def __str__(self) -> str:
        return f"{self.chat} {self.provider}"
