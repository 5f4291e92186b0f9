"""What does a process know of one row, and which program does it describe?"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from ahp_platform.agents.backend import Json
from ahp_platform.agents.backends.acp.specification import AgentSpecification
from ahp_platform.agents.catalogue import folders
from ahp_platform.agents.catalogue.rows import BOX, Agent
from ahp_platform.eventlog.pool import fetch_across


class Environment(dict[str, str]):
    """Variables, some of them secret: whoever prints them sees their names."""

    def __repr__(self) -> str:
        return f"<variables {', '.join(sorted(self))}>"


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of the agents' table, as `Agent` describes it, and the ids of its tenants."""

    id: int
    provider: str
    display_name: str
    description: str
    enabled: bool
    command: Sequence[str]
    environment: Json
    secrets: bytes = field(repr=False)
    offered_models: Sequence[Json]
    everywhere: bool
    roles: Sequence[str]
    run_time_s: int
    memory_mb: int
    idle_s: int
    network: bool
    own_home: bool
    package_kind: str
    install_state: str
    install_message: str
    installed_version: str
    folder: str
    discovered: Json
    tenants: Sequence[int] = ()

    @property
    def offered(self) -> bool:
        """Whether those who may use it see it: it is on, and there or about to be."""
        coming = self.install_state in (Agent.Install.WAITING, Agent.Install.INSTALLING)
        return self.enabled and (not self.package_kind or bool(self.folder) or coming)

    def is_for(self, tenant_id: int) -> bool:
        """Whether the tenant may use it."""
        return self.everywhere or tenant_id in self.tenants

    def secret_values(self) -> list[str]:
        """What must never be shown."""
        opened = BOX.open(self.secrets) if self.secrets else None
        return list(json.loads(opened).values()) if opened else []

    def specification(self) -> AgentSpecification:
        """How it is run. Its home is per tenant: `at_home` adds it."""
        installed = folders.installation(self.provider, self.folder)
        opened = BOX.open(self.secrets) if self.secrets else None
        variables = Environment({"PATH": folders.program_path(installed)})
        variables.update(self.environment)
        variables.update(json.loads(opened) if opened else {})
        program = folders.program(self.command[0], variables["PATH"]) or self.command[0]
        return AgentSpecification(
            provider=self.provider,
            display_name=self.display_name,
            description=self.description,
            command=(program, *self.command[1:]),
            environment=variables,
            models=tuple({**info, "provider": self.provider} for info in self.offered_models),
            discovered=self.discovered,
            run_time_s=self.run_time_s,
            memory_mb=self.memory_mb,
            idle_s=self.idle_s,
            network=self.network,
            readable=tuple(map(str, folders.readable(installed))),
        )

    def same_program(self, other: Entry) -> bool:
        """Whether the other row runs alike: then what runs may go on."""
        return self._program() == other._program()

    def _program(self) -> AgentSpecification:
        return replace(self.specification(), display_name="", description="", models=(), discovered={})


# The columns are named like the fields; the tenants come from a table of their own.
_COLUMNS = [each.name for each in fields(Entry) if each.name != "tenants"]
# The names are ours, no input.
_READ = f"""
SELECT {", ".join(f"a.{name}" for name in _COLUMNS)},
    ARRAY(SELECT t.tenant_id FROM agents_agent_tenants t WHERE t.agent_id = a.id ORDER BY 1)
FROM agents_agent a ORDER BY a.provider
"""  # noqa: S608
_NUMBER = "SELECT number FROM agents_catalogueversion"


async def number() -> int:
    """What rises with every change of a row."""
    rows = await fetch_across(_NUMBER, ())
    return int(rows[0][0]) if rows else 0


async def read() -> list[Entry]:
    """All rows. Agents are the installation's, and for whom each is stands in them."""
    return [Entry(*row) for row in await fetch_across(_READ, ())]


def of_row(agent: Agent) -> Entry:
    """The entry of a row that was read otherwise."""
    values: dict[str, Any] = {name: getattr(agent, name) for name in _COLUMNS}
    return Entry(**{**values, "secrets": bytes(agent.secrets)}, tenants=[each.pk for each in agent.tenants.all()])
