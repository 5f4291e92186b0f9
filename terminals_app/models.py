"""What is kept of a terminal besides its channel: which host runs it, until when, and how its processes are known?

The state that people see is the channel's. The row is inserted and ended in the transactions that open the channel and end it.
Source: DESIGN.md section 5.
"""

from __future__ import annotations

from django.db import models

from ahp_platform.leases.models import LeasedRow


class Terminal(LeasedRow):
    """One terminal."""

    class State(models.TextChoices):
        """`waiting` for a host, `running` on one, or `exited` and still there to be read."""

        WAITING = "waiting"
        RUNNING = "running"
        EXITED = "exited"

    uri = models.TextField()
    session = models.TextField(null=True, help_text="The session it ends with.")
    user_id = models.IntegerField(null=True, help_text="Who opened it, or whose client holds it.")
    plan = models.TextField(help_text="What to run where, as JSON.")
    marker = models.UUIDField(help_text="Its processes bear this in their environment.")
    state = models.TextField(choices=State.choices, default=State.WAITING)
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.uri

    class Meta(LeasedRow.Meta):
        constraints = [models.UniqueConstraint(fields=["tenant", "uri"], name="terminal_once_per_uri")]
        indexes = [
            models.Index(fields=["id"], name="terminal_to_claim", condition=models.Q(state="waiting")),
            models.Index(fields=["lease_until"], name="terminal_lease", condition=models.Q(state="running")),
            models.Index(fields=["tenant", "session"], name="terminal_by_session"),
        ]
