"""Bring the database to this version."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand

from auth_app.demo import seed_demo


class Command(BaseCommand):
    """Run once before the processes of a new version start."""

    help = (
        "Migrate; with --demo also make the demo tenants, and print the people that are new as JSON, passwords included"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """With or without the demo."""
        parser.add_argument("--demo", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        """Everything here can be run again."""
        call_command("migrate", interactive=False, verbosity=0)
        people = seed_demo() if options["demo"] else []
        self.stdout.write(json.dumps(people))
