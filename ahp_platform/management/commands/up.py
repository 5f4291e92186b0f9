"""Run the whole service on this machine."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from ahp_platform.embedded.account import EmbeddedServerError
from ahp_platform.local import AlreadyRunsError
from ahp_platform.supervise.service import CannotStartError, Shape, run


class Command(BaseCommand):
    """In the foreground: one web process, which also runs the agents, and one Celery worker."""

    help = "Run the whole service, with demo data, until Ctrl-C"
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Where to listen."""
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=8000)

    def shape(self, options: dict[str, Any]) -> Shape:
        """Which processes to run."""
        return Shape(options["host"], options["port"])

    def handle(self, *args: Any, **options: Any) -> None:
        """Run until a signal."""
        try:
            run(self.shape(options), self._say)
        except (AlreadyRunsError, CannotStartError, EmbeddedServerError) as error:
            raise CommandError(str(error)) from error

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()
