"""Raise the numbers of every tenant above all that were ever issued, after a backup was restored."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.db.models import F

from ahp_platform.eventlog.models import TenantClock

# More than any tenant issues between two backups.
LEAP = 1_000_000_000


class Command(BaseCommand):
    """Clients remember the highest number they saw for ever: a restored log must not issue those again."""

    help = "Run once after restoring a database backup, before the service starts"

    def add_arguments(self, parser: ArgumentParser) -> None:
        """How far to leap."""
        parser.add_argument("--leap", type=int, default=LEAP)

    def handle(self, *args: Any, **options: Any) -> None:
        """Move clock and floor: whoever reconnects from before the leap gets snapshots."""
        moved = TenantClock.objects.update(floor=F("seq") + options["leap"], seq=F("seq") + options["leap"])
        self.stdout.write(f"{moved} tenants now count from above {options['leap']}")
