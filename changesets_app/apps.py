"""How does Django know this app?"""

from __future__ import annotations

from django.apps import AppConfig


class ChangesetsConfig(AppConfig):
    """Files: resources, contents, watches."""

    name = "changesets_app"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Have the settings checked."""
        from changesets_app import checks  # noqa: F401 - settings can only be read now
