"""How does Django know the platform itself? It owns the commands and binds shared tasks to our Celery application."""

from __future__ import annotations

from importlib import import_module

from django.apps import AppConfig


class PlatformConfig(AppConfig):
    """No tables."""

    name = "ahp_platform"

    def ready(self) -> None:
        """Without this, a task sent by a web process would go to Celery's default application."""
        import_module("ahp_platform.celery")
