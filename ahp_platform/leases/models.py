"""What does a row need, so that one host process at a time can hold it?"""

from __future__ import annotations

from django.db import models

from ahp_platform.eventlog.models import TenantRow


class LeasedRow(TenantRow):
    """A row with a `state`, which begins as `waiting` and is `running` while a host holds it.

    `fence` counts claims: a host whose number is older than the row's has lost it.
    """

    host = models.UUIDField(null=True)
    fence = models.IntegerField(default=0)
    lease_until = models.DateTimeField(null=True)

    class Meta(TenantRow.Meta):
        abstract = True
