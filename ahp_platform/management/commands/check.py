"""Check the code of this project."""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import CommandError, CommandParser
from django.core.management.commands import check

from ahp_platform.local import PROJECT

CHECKS = (
    ["ruff", "check"],
    ["ruff", "format", "--check"],
    ["mypy"],
    ["lint-imports"],
)


class Command(check.Command):
    """Everything that can be known without running a test, then Django's own checks. `--only-django` is Django's `check`."""

    help = "Linters, types, import contracts, Django's checks and missing migrations"

    def add_arguments(self, parser: CommandParser) -> None:
        """Django's arguments, and the way to its command alone."""
        super().add_arguments(parser)
        parser.add_argument("--only-django", action="store_true")

    def handle(self, *app_labels: Any, **options: Any) -> None:
        """Run all, then say which failed."""
        only_django = options.pop("only_django")
        failed = [] if only_django else [" ".join(arguments) for arguments in CHECKS if not _passes(arguments)]
        super().handle(*app_labels, **options)
        if not only_django and not _migrations_are_complete():
            failed.append("makemigrations --check")
        if failed:
            raise CommandError(f"failed: {', '.join(failed)}")


def _passes(arguments: list[str]) -> bool:
    """Run a program of this environment."""
    program, *rest = arguments
    beside = Path(sys.executable).with_name(program)
    return subprocess.run([str(beside), *rest], cwd=PROJECT, check=False).returncode == 0


def _migrations_are_complete() -> bool:
    with warnings.catch_warnings():
        # It would also like to ask a database which migrations ran; here there may be none.
        warnings.simplefilter("ignore", RuntimeWarning)
        try:
            call_command("makemigrations", check_changes=True, dry_run=True, verbosity=1)
        except SystemExit:
            return False
    return True
