"""How does somebody at the command line get an access token?"""

from __future__ import annotations

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from oauth2_provider.oauth2_validators import is_valid_resource_uri

from auth_app.models import Membership
from auth_app.policy import scopes_of
from auth_app.tokens import issue

MAX_TTL_S = 366 * 24 * 3600


class Command(BaseCommand):
    """The token is the last line of the output, so that scripts can take it."""

    help = "Print an access token for a member of a tenant"

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The tenant and the user, and what to narrow."""
        parser.add_argument("tenant", help="the tenant's slug")
        parser.add_argument("user", help="the member's user name")
        parser.add_argument("--resource", action="append", default=[], metavar="URI", help="only for this resource")
        parser.add_argument("--ttl", type=int, default=12 * 3600, metavar="S", help="seconds it lives (default: 12 h)")
        parser.add_argument("--scope", nargs="+", default=[], help="narrower than everything that the role may have")

    def handle(self, *args: Any, **options: Any) -> None:
        """Check what was asked for, issue, print."""
        membership = _membership(options["tenant"], options["user"])
        allowed = scopes_of(membership.role, None)
        scopes = frozenset(options["scope"]) or allowed
        if excess := scopes - allowed:
            raise CommandError(f"a {membership.role} may not have: {', '.join(sorted(excess))}")
        if not 0 < options["ttl"] <= MAX_TTL_S:
            raise CommandError(f"--ttl must be between 1 and {MAX_TTL_S} seconds")
        for uri in options["resource"]:
            if not is_valid_resource_uri(uri):
                raise CommandError(f"--resource {uri} is no absolute URI")
        lifetime = timedelta(seconds=options["ttl"])
        self.stdout.write(issue(membership.tenant, membership.user, scopes, lifetime, options["resource"]))


def _membership(slug: str, username: str) -> Membership:
    members = Membership.objects.select_related("tenant", "user")
    found = members.filter(tenant__slug=slug, user__username=username).first()
    if found is None:
        raise CommandError(f"there is no member {username} of a tenant {slug}")
    return found
