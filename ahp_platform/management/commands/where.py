"""Print the address of a server that the running service uses."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from ahp_platform.env import env_secret


class Command(BaseCommand):
    """For tools of operators: `psql "$(./ahp where database)"`, `valkey-cli -u "$(./ahp where redis)"`."""

    help = "Print the address of the database or of Redis"

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Which server."""
        parser.add_argument("server", choices=["database", "redis"])

    def handle(self, *args: Any, **options: Any) -> None:
        """Print it."""
        self.stdout.write(settings.REDIS_URL if options["server"] == "redis" else env_secret("DATABASE_URL"))
