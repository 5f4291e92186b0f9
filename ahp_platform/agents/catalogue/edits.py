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


def save(agent: Agent, user: Any = None, also: Collection[str] = ()) -> None:
    """Save a row, new or changed; `also` names what changes beside its columns."""
    with transaction.atomic():
        before = Agent.objects.select_for_update().filter(pk=agent.pk).first() if agent.pk else None
        if before is None:
            agent.ask_after({"package" if agent.package_kind else "command"})
            edit = Edit("agent.added", agent.provider, user)
        else:
            fields = [*_changes(before, agent), *also]
            agent.ask_after(fields)
            edit = Edit("agent.changed", agent.provider, user, tuple(fields))
        agent.save()
        tell(edit)


def _changes(before: Agent, after: Agent) -> list[str]:
    written = [field.name for field in Agent._meta.concrete_fields if field.editable or field.name == "secrets"]
    return [name for name in written if getattr(before, name) != getattr(after, name)]


def remove(agent: Agent, user: Any = None) -> None:
    """Delete a row. Its files stay: sessions may still be at work with them."""
    with transaction.atomic():
        tell(Edit("agent.removed", agent.provider, user))
        agent.delete()


def tell(edit: Edit) -> None:
    """An operator has done this."""
    edited.send(Edit, edit=edit)
