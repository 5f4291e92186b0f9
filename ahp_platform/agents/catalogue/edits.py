"""How is the row of an agent changed, whoever changes it?

What a change calls for (installing, trying) is noted in the row for a worker, and the audit log hears who did it and which fields
changed, never what is in them. It belongs to an app above us, hence the signal.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

from django.db import transaction
from django.dispatch import Signal

from ahp_platform.agents.catalogue.rows import Agent

edited = Signal()


class Edit(NamedTuple):
    """What was done to which agent; `user` is None at the command line, `fields` names what changed."""

    act: str
    provider: str
    user: Any = None
    fields: tuple[str, ...] = ()


def save(agent: Agent, fields: Collection[str], user: Any = None) -> None:
    """Save a row that is new or in which these fields have changed."""
    is_new = agent.pk is None
    with transaction.atomic():
        agent.ask_after({"package" if agent.package_kind else "command"} if is_new else fields)
        agent.save()
        tell(Edit("agent.added" if is_new else "agent.changed", agent.provider, user, () if is_new else tuple(fields)))


def remove(agent: Agent, user: Any = None) -> None:
    """Delete a row. Its files stay: sessions may still be at work with them."""
    with transaction.atomic():
        tell(Edit("agent.removed", agent.provider, user))
        agent.delete()


def tell(edit: Edit) -> None:
    """An operator has done this."""
    edited.send(Edit, edit=edit)
