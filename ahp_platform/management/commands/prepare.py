"""Bring the database to this version."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from ahp_platform.agents.catalogue.seed import offer_opencode
from ahp_platform.row_security import names
from ahp_platform.row_security.prepare import ensure
from ahp_platform.row_security.roles import UnfencedError
from auth_app.demo import seed_demo


class Command(BaseCommand):
    """Run once, as the owner of the tables, before the processes of a new version start."""

    help = (
        "Migrate, and make the roles and policies that keep tenants apart; with --demo also make the demo tenants, "
        "and print the people that are new as JSON, passwords included"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """With or without the demo."""
        parser.add_argument("--demo", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        """Everything here can be run again."""
        if settings.AHP_DATABASE_ROLE == names.APPLICATION:
            raise CommandError(
                "prepare runs as the owner of the tables: set AHP_DATABASE_ROLE=owner, and its DATABASE_URL"
            )
        call_command("migrate", interactive=False, verbosity=0)
        try:
            ensure(settings.SECRET_KEY)
        except UnfencedError as missing:
            raise CommandError(str(missing)) from None
        people = seed_demo() if options["demo"] else []
        if options["demo"]:
            offer_opencode()
        self.stdout.write(json.dumps(people))
