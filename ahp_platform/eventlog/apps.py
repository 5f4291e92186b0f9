"""How does Django know the event log?"""

from __future__ import annotations

from django.apps import AppConfig


class EventLogConfig(AppConfig):
    """The log's tables live under the label `eventlog`."""

    name = "ahp_platform.eventlog"
    label = "eventlog"
    default_auto_field = "django.db.models.BigAutoField"
