"""Which agents are there, and for whom?

Those that installed distributions declare under the entry point `ahp.agents` (provider = "module:Backend"), the practice agents of
our own, which are also there when we run from a source tree that nobody installed, and those that operators describe in rows
(`catalogue`). The former are for everybody; a row says which tenants may know of it and which roles may use it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, cast

from django.conf import settings

from ahp_platform.agents.backend import AgentBackend, Installation, Json
from ahp_platform.agents.backends.acp import AcpBackend, AgentSpecification
from ahp_platform.agents.catalogue.current import Catalogue
from ahp_platform.agents.catalogue.row_backend import RowBackend, Standing
from ahp_platform.agents.catalogue.row_backend import standing as row_standing
from ahp_platform.agents.launcher import launcher

GROUP = "ahp.agents"
PRACTICE = "ahp_platform.agents.backends.practice"

OURS = (
    EntryPoint("demo", f"{PRACTICE}:PracticeBackend", GROUP),
    EntryPoint("demo-protected", f"{PRACTICE}:ProtectedPracticeBackend", GROUP),
)


@cache
def backends() -> Mapping[str, AgentBackend]:
    """The providers that need no row, and their backends."""
    here = Installation(base_url=settings.AHP_PUBLIC_URL.rstrip("/"))
    points = {point.name: point for point in (*OURS, *entry_points(group=GROUP))}
    return {name: cast("Callable[[Installation], AgentBackend]", point.load())(here) for name, point in points.items()}


def of_specification(specification: AgentSpecification) -> AgentBackend:
    """What drives the agent of a row."""
    return AcpBackend(specification, launcher)


catalogue = Catalogue(of_specification)


def get(provider: str, tenant_id: int | None = None) -> AgentBackend | None:
    """The provider's backend; None where there is none for this tenant (None: for anybody)."""
    if provider in backends():
        return backends()[provider]
    found = catalogue.backends.get(provider)
    if found is None or not found.entry.offered or not (tenant_id is None or found.entry.is_for(tenant_id)):
        return None
    return found


def same_program(one: AgentBackend, other: AgentBackend | None) -> bool:
    """Whether what runs of the one is as good as what would be started of the other."""
    if isinstance(one, RowBackend) and isinstance(other, RowBackend):
        return one.entry.same_program(other.entry)
    return one is other


async def find(provider: str, tenant_id: int) -> AgentBackend | None:
    """As `get`, but a row that came a moment ago is found, too."""
    found = get(provider, tenant_id)
    if found is None and await catalogue.refresh():
        found = get(provider, tenant_id)
    return found


def agent_infos(tenant_id: int | None = None) -> list[Json]:
    """The `AgentInfo` of every agent that the tenant may know of, for its root state; without a tenant, of all there are."""
    rows = [found for name in sorted(catalogue.backends) if (found := get(name, tenant_id)) and name not in backends()]
    return [backend.info() for backend in (*backends().values(), *rows)]


def protected_resources(provider: str) -> list[Json]:
    """The `ProtectedResourceMetadata` of what the provider's agent needs tokens for."""
    backend = get(provider)
    return list(backend.info().get("protectedResources", ())) if backend else []


def capabilities(provider: str) -> Json:
    """The provider's `AgentCapabilities`; empty where it is not installed."""
    backend = get(provider)
    return dict(backend.info().get("capabilities", {})) if backend else {}


def options(provider: str, tenant_id: int) -> Mapping[str, Any]:
    """What can be set for a session with the agent: names of properties to their `SessionConfigPropertySchema`."""
    backend = get(provider, tenant_id)
    return backend.options() if backend else {}


def commands(provider: str, tenant_id: int) -> Sequence[Mapping[str, Any]]:
    """What messages to the agent may begin with, as far as it is known without a conversation."""
    found = get(provider, tenant_id)
    offered: Sequence[Mapping[str, Any]] = (
        found.entry.discovered.get("commands", ()) if isinstance(found, RowBackend) else ()
    )
    return offered


def role_may_use(provider: str, role: str) -> bool:
    """Whether people of this role may start sessions and turns with the agent."""
    found = catalogue.backends.get(provider)
    return found is None or provider in backends() or not found.entry.roles or role in found.entry.roles


async def standing(provider: str, tenant_id: int) -> Standing:
    """Whether a session can begin with the agent, by the newest rows and what is on this machine."""
    await catalogue.refresh()
    if get(provider, tenant_id) is None:
        return Standing(why_absent(provider, tenant_id))
    found = catalogue.backends.get(provider)
    return await asyncio.to_thread(found.standing) if found and provider not in backends() else Standing()


def why_absent(provider: str, tenant_id: int) -> str:
    """For people whose session is with an agent that `get` does not give them: what has become of it."""
    found = catalogue.backends.get(provider)
    if found is None:
        return f"The agent {provider} is no longer installed on this host. Go on in a new session with another agent."
    name = found.entry.display_name
    if not found.entry.is_for(tenant_id):
        return f"{name} is no longer available to this organisation. Go on in a new session with another agent."
    if not found.entry.enabled:
        return f"{name} is switched off. An operator can switch it on again."
    return row_standing(found.entry).problem
