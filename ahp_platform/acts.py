"""What has somebody done that belongs into the audit log? Said here by whoever knows it, written down by identity.

Neither imports the other; this works in every process, also where nothing is wired.
"""

from __future__ import annotations

from typing import NamedTuple

from asgiref.sync import sync_to_async
from django.dispatch import Signal

from ahp_platform.tenancy import tenant_scope

happened = Signal()


class Act(NamedTuple):
    """By whom, in which tenant, and what: `subject` is the name of a thing, never its contents."""

    name: str
    tenant_id: int
    user_id: int
    subject: str
    address: str = ""


def tell(act: Act) -> None:
    """Somebody has done it."""
    with tenant_scope(act.tenant_id):
        happened.send(Act, act=act)


tell_soon = sync_to_async(tell)
