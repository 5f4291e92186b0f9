"""What do Celery workers do for agents?"""

from __future__ import annotations

from celery import shared_task

from ahp_platform.agents.catalogue.attending import attend


@shared_task(name="agents.attend")  # type: ignore[untyped-decorator]
def attend_to_agent(agent_id: int) -> None:
    """Install the agent's package and try whether it starts, as far as its row asks for it."""
    attend(agent_id)


def ask_to_attend(agent_id: int) -> None:
    """Hand it to a worker; raises where the broker is away (a sweep asks again)."""
    attend_to_agent.delay(agent_id)
