"""What may a person decide about a request, and what comes of it?

Who may decide at all, the pages look after (`pages.py`, the admin site). Every decision is told to the audit log.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from django.db.models import QuerySet
from django.utils import timezone

from ahp_platform.acts import Act, tell
from changesets_app.models import FileGrant


@dataclass(frozen=True, slots=True)
class Decision:
    """`opens_for` is how long the place is open from now on; zero ends a grant at once, None denies a request."""

    act: str
    opens_for: timedelta | None


DENY: Final = Decision("file.denied", None)
REVOKE: Final = Decision("file.revoked", timedelta())


def opening(minutes: int) -> Decision:
    """Let them in for so long."""
    return Decision("file.granted", timedelta(minutes=minutes))


def decide(wanted: QuerySet[FileGrant], decision: Decision, by: Any, address: str = "") -> int:
    """Decide each of these anew; how many there were."""
    now, count = timezone.now(), 0
    for each in wanted:
        each.decided_at, each.decided_by = now, by
        each.granted_until = None if decision.opens_for is None else now + decision.opens_for
        each.save(update_fields=["decided_at", "decided_by", "granted_until"])
        tell(Act(decision.act, each.tenant_id, by.pk, described(each), address))
        count += 1
    return count


def described(wish: FileGrant) -> str:
    """Who wants to do what with which path."""
    return f"{wish.user}: {'write' if wish.writes else 'read'} {wish.path}"
