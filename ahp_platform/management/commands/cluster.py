"""Run the service as several processes on this machine."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from ahp_platform.management.commands import up
from ahp_platform.supervise.service import Shape


class Command(up.Command):
    """In the foreground: web processes behind one port, host processes for the agents, one Celery worker."""

    help = "Run the service as separate web, host and Celery processes, one port in front, until Ctrl-C"

    def add_arguments(self, parser: ArgumentParser) -> None:
        """How many of each."""
        super().add_arguments(parser)
        parser.add_argument("--web", type=int, default=2)
        parser.add_argument("--hosts", type=int, default=2)

    def shape(self, options: dict[str, Any]) -> Shape:
        """Which processes to run."""
        return Shape(options["host"], options["port"], web=max(1, options["web"]), hosts=max(1, options["hosts"]))
