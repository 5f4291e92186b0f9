"""Run the tests of this project."""

from __future__ import annotations

import os
import sys
from typing import Any

from django.core.management.base import BaseCommand

from ahp_platform.local import PROJECT, given_environment

# Each worker runs a whole service of its own; more of them than this only get in each other's way.
MOST_WORKERS = 4


class Command(BaseCommand):
    """pytest, with a worker per core that takes whole files, so that a file starts its cluster once; all arguments go to pytest."""

    help = "Run every test against real PostgreSQL and Redis; the arguments are pytest's"
    requires_system_checks: list[str] = []

    def run_from_argv(self, argv: list[str]) -> None:
        """Django must not read pytest's arguments."""
        workers = str(min(os.cpu_count() or 1, MOST_WORKERS))
        os.chdir(PROJECT)
        command = [sys.executable, "-m", "pytest", "-n", workers, "--dist", "loadfile", *argv[2:]]
        os.execve(sys.executable, command, given_environment())  # noqa: S606  our own Python, no shell wanted

    def handle(self, *args: Any, **options: Any) -> None:
        """Called from code."""
        self.run_from_argv(["manage.py", "test", *args])
