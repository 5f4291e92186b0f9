"""How does Django know the platform itself? It owns the commands, binds tasks to our Celery application and fences connections."""

from __future__ import annotations

from importlib import import_module

from django.apps import AppConfig
from django.db.backends.signals import connection_created

from ahp_platform.row_security.orm import fence


class PlatformConfig(AppConfig):
    """No tables."""

    name = "ahp_platform"

    def ready(self) -> None:
        """Without this, a task sent by a web process would go to Celery's default application."""
        import_module("ahp_platform.celery")
        import_module("ahp_platform.row_security.checks")
        connection_created.connect(fence, dispatch_uid="row security")
