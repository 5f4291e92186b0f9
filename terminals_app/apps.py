"""How does Django know this app?"""

from __future__ import annotations

from django.apps import AppConfig


class TerminalsConfig(AppConfig):
    """Nothing to start yet."""

    name = "terminals_app"
    default_auto_field = "django.db.models.BigAutoField"
