"""How does Django know the sessions app?"""

from __future__ import annotations

from django.apps import AppConfig


class SessionsConfig(AppConfig):
    """Sessions, chats and what hangs on them."""

    name = "sessions_app"
    verbose_name = "Sessions"
    default_auto_field = "django.db.models.BigAutoField"
