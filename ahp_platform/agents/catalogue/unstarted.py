"""What stands for an agent that this version cannot start."""

from __future__ import annotations

from ahp_platform.agents.backend import AgentSession, Json, SessionInfo, TurnFailed
from ahp_platform.agents.backends.acp.specification import AgentSpecification


class Unstarted:
    """An `AgentBackend` that only describes."""

    def __init__(self, specification: AgentSpecification) -> None:
        self._specification = specification

    @property
    def idle_s(self) -> int:
        """See `AgentBackend`."""
        return self._specification.idle_s

    def info(self) -> Json:
        """See `AgentBackend`."""
        told = self._specification
        reported = told.discovered.get("models", ())
        models = [*told.models] or [{**model, "provider": told.provider} for model in reported]
        return {
            "provider": told.provider,
            "displayName": told.display_name,
            "description": told.description,
            "models": models,
        }

    def options(self) -> Json:
        """See `AgentBackend`."""
        return {}

    async def open(self, session: SessionInfo) -> AgentSession:
        """See `AgentBackend`."""
        raise TurnFailed("agentMissing", f"{self._specification.display_name} cannot be started by this version.")
