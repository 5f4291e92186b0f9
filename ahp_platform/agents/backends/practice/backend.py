"""What does the practice agent say of itself, and how does it begin?"""

from __future__ import annotations

from ahp_platform.agents.backend import AgentSession, Installation, Json, SessionInfo
from ahp_platform.agents.backends.practice.session import PracticeSession, ProtectedPracticeSession

CAPABILITIES: Json = {"multipleChats": {"fork": True, "sideChat": True}, "multipleWorkingDirectories": {}}

EFFORT: Json = {
    "type": "object",
    "properties": {
        "effort": {
            "type": "string",
            "title": "Effort",
            "description": "How hard the model is to think. The practice agent has no model, so nothing comes of it.",
            "enum": ["low", "medium", "high"],
            "enumLabels": ["Low", "Medium", "High"],
            "default": "medium",
        }
    },
}


def models(provider: str) -> list[Json]:
    """Two models that differ in name and size, so that choosing one can be practised."""
    sizes = (("practice-small", "Practice Small", 32_000), ("practice-large", "Practice Large", 200_000))
    return [
        {"id": id, "provider": provider, "name": name, "maxContextWindow": window, "configSchema": EFFORT}
        for id, name, window in sizes
    ]


class PracticeBackend:
    """Provider `demo`."""

    idle_s = 0

    def __init__(self, here: Installation) -> None:
        self._here = here

    def info(self) -> Json:
        """See `AgentBackend`."""
        return {
            "provider": "demo",
            "displayName": "Practice agent",
            "description": "Follows commands instead of a model: say, stream, think, tool, run, ask, client, mcp, worker, wait, fail.",
            "models": models("demo"),
            "capabilities": CAPABILITIES,
        }

    def options(self) -> Json:
        """See `AgentBackend`."""
        return {}

    async def open(self, session: SessionInfo) -> AgentSession:
        """See `AgentBackend`."""
        return PracticeSession()


class ProtectedPracticeBackend:
    """Provider `demo-protected`: the same behind a protected resource of our own server."""

    idle_s = 0

    def __init__(self, here: Installation) -> None:
        self._base_url = here.base_url

    @property
    def resource(self) -> str:
        """The resource that tokens must be made for."""
        return f"{self._base_url}/agents/demo-protected"

    def info(self) -> Json:
        """See `AgentBackend`."""
        protected = {
            "resource": self.resource,
            "resource_name": "Practice agent (protected)",
            "authorization_servers": [self._base_url],
            "bearer_methods_supported": ["header"],
            "required": True,
        }
        return {
            "provider": "demo-protected",
            "displayName": "Practice agent (protected)",
            "description": "The practice agent, for practising with agents that need a token.",
            "models": models("demo-protected"),
            "protectedResources": [protected],
            "capabilities": CAPABILITIES,
        }

    def options(self) -> Json:
        """See `AgentBackend`."""
        return {}

    async def open(self, session: SessionInfo) -> AgentSession:
        """See `AgentBackend`."""
        return ProtectedPracticeSession(self.resource)
