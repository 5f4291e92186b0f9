"""Measure the service against what is possible on this machine."""

from __future__ import annotations

import os
import sys
from typing import Any

from django.core.management.base import BaseCommand

from ahp_platform.local import PROJECT


class Command(BaseCommand):
    """The benchmarks make their own database before Django reads its settings, so they are a program of their own."""

    help = "The benchmarks of DESIGN.md section 8: bench [names] [--runs 3] [--seconds N]"
    requires_system_checks: list[str] = []

    def run_from_argv(self, argv: list[str]) -> None:
        """Django must not read the program's arguments."""
        os.chdir(PROJECT)
        os.execv(sys.executable, [sys.executable, "-m", "tests.benchmarks", *argv[2:]])  # noqa: S606  our own Python

    def handle(self, *args: Any, **options: Any) -> None:
        """Called from code."""
        self.run_from_argv(["manage.py", "bench", *args])
