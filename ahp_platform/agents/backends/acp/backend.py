"""What does an agent that speaks the Agent Client Protocol say of itself, and how does it begin?"""

from __future__ import annotations

from ahp_platform.agents.backend import AgentSession, Json, SessionInfo
from ahp_platform.agents.backends.acp.specification import AgentSpecification
from ahp_platform.agents.launching import Launcher


class AcpBackend:
    """The backend of one specification."""

    def __init__(self, specification: AgentSpecification, launcher: Launcher) -> None:
        self._specification, self._launcher = specification, launcher

    @property
    def idle_s(self) -> int:
        """See `AgentBackend`."""
        return self._specification.idle_s

    def info(self) -> Json:
        """See `AgentBackend`."""
        specification = self._specification
        sessions = specification.discovered.get("capabilities", {}).get("sessionCapabilities") or {}
        forks = {"fork": True, "sideChat": True} if sessions.get("fork") is not None else {}
        capabilities: Json = {"multipleChats": forks}
        if sessions.get("additionalDirectories") is not None:
            capabilities["multipleWorkingDirectories"] = {}
        return {
            "provider": specification.provider,
            "displayName": specification.display_name,
            "description": specification.description,
            "models": list(specification.models) or specification.discovered.get("models", []),
            "capabilities": capabilities,
        }

    def options(self) -> Json:
        """See `AgentBackend`."""
        found: Json = self._specification.discovered.get("properties", {})
        return found

    async def open(self, session: SessionInfo) -> AgentSession:
        """See `AgentBackend`: the process starts with the first prompt."""
        # The SDK takes a third of a second and 30 MB, which only processes that run agents have to spend.
        from ahp_platform.agents.backends.acp.session import AcpSession

        return AcpSession(self._specification, self._launcher, session)
