"""Serve HTTP and sockets from this process."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from ahp_platform.supervise.web import serve


class Command(BaseCommand):
    """One web process; `up`, `cluster` and the image run it."""

    help = "Serve HTTP and sockets with uvicorn (AHP_ROLES=web,host also runs agents here)"
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Where to listen."""
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, action="append", help="may be given several times; default 8000")

    def handle(self, *args: Any, **options: Any) -> None:
        """Serve until a signal."""
        serve(options["host"], options["port"] or [8000])
