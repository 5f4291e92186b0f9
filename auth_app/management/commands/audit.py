"""How does somebody at the command line get the audit log?"""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from auth_app.audit_export import FORMATS
from auth_app.models import AuditEvent


class Command(BaseCommand):
    """The oldest row first."""

    help = "Export the audit log"

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Which rows, and how they look."""
        parser.add_argument("--format", choices=sorted(FORMATS), default="jsonl")
        parser.add_argument("--tenant", help="only this tenant's, by its slug")
        parser.add_argument("--since", help="only from this moment on, as ISO 8601")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write the rows to standard output."""
        events = AuditEvent.objects.select_related("tenant").order_by("at", "id")
        if options["tenant"]:
            events = events.filter(tenant__slug=options["tenant"])
        if options["since"]:
            events = events.filter(at__gte=options["since"])
        for line in FORMATS[options["format"]](events.iterator()):
            self.stdout.write(line, ending="")
