"""What do Celery workers do for agents?"""

from __future__ import annotations

from celery import shared_task

from ahp_platform.agents.catalogue.attending import attend


@shared_task(name="agents.attend")  # type: ignore[untyped-decorator]
def attend_to_agents() -> None:
    """Install packages of agents and try whether they start, as far as their rows ask for it."""
    attend()


def ask_to_attend() -> None:
    """Hand it to a worker; raises where the broker is away (a sweep asks again)."""
    attend_to_agents.delay()
