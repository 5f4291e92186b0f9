"""How does Django know this app?"""

from __future__ import annotations

from django.apps import AppConfig


class AuthConfig(AppConfig):
    """Tenants, their members and what these hold. The label keeps clear of Django's own `auth`."""

    name = "auth_app"
    label = "auth_app"
    verbose_name = "Tenants and members"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Hear of logins and memberships."""
        from auth_app import audit_signals  # noqa: F401 - models can only be imported now
