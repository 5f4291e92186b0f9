"""How does Django know this app?"""

from __future__ import annotations

from django.apps import AppConfig


class TerminalsConfig(AppConfig):
    """Terminals and the processes in them."""

    name = "terminals_app"
    verbose_name = "Terminals"
    default_auto_field = "django.db.models.BigAutoField"
