"""Which agents are there?

Those that installed distributions declare under the entry point `ahp.agents` (provider = "module:Backend"), and the practice
agents of our own, which are also there when we run from a source tree that nobody installed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import cast

from django.conf import settings

from ahp_platform.agents.backend import AgentBackend, Installation, Json

GROUP = "ahp.agents"
PRACTICE = "ahp_platform.agents.backends.practice"

OURS = (
    EntryPoint("demo", f"{PRACTICE}:PracticeBackend", GROUP),
    EntryPoint("demo-protected", f"{PRACTICE}:ProtectedPracticeBackend", GROUP),
)


@cache
def backends() -> Mapping[str, AgentBackend]:
    """Providers and their backends."""
    here = Installation(base_url=settings.AHP_PUBLIC_URL.rstrip("/"))
    points = {point.name: point for point in (*OURS, *entry_points(group=GROUP))}
    return {name: cast("Callable[[Installation], AgentBackend]", point.load())(here) for name, point in points.items()}


def get(provider: str) -> AgentBackend | None:
    """The provider's backend, or None where it is not installed."""
    return backends().get(provider)


def agent_infos() -> list[Json]:
    """The `AgentInfo` of every agent, for the root state."""
    return [backend.info() for backend in backends().values()]


def protected_resources(provider: str) -> list[Json]:
    """The `ProtectedResourceMetadata` of what the provider's agent needs tokens for."""
    backend = get(provider)
    return list(backend.info().get("protectedResources", ())) if backend else []


def capabilities(provider: str) -> Json:
    """The provider's `AgentCapabilities`; empty where it is not installed."""
    backend = get(provider)
    return dict(backend.info().get("capabilities", {})) if backend else {}
