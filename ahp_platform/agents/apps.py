"""How does Django know the agents?"""

from __future__ import annotations

from django.apps import AppConfig


class AgentsConfig(AppConfig):
    """The turns of agents live under the label `agents`."""

    name = "ahp_platform.agents"
    label = "agents"
    default_auto_field = "django.db.models.BigAutoField"
