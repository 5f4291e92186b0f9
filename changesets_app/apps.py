"""How does Django know this app?"""

from __future__ import annotations

from django.apps import AppConfig


class ChangesetsConfig(AppConfig):
    """Nothing to start yet."""

    name = "changesets_app"
    default_auto_field = "django.db.models.BigAutoField"
