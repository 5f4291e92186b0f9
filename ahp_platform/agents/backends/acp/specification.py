"""Which program is an agent, and how is it run?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ahp_platform.agents.backend import Json


@dataclass(frozen=True, slots=True)
class AgentSpecification:
    """A program that speaks the Agent Client Protocol on its standard input and output.

    `models` are `SessionModelInfo` objects; where there are none, the agent offers what it reported itself (`discovered`, what
    `probe` returned, {} before). `home` is a host directory of its own that it may write, `readable` host paths that it may read
    besides the system: where it is installed. `run_time_s` bounds one turn, `idle_s` how long it is kept without one, 0 is none.
    """

    provider: str
    display_name: str
    description: str
    command: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    models: tuple[Json, ...] = ()
    discovered: Json = field(default_factory=dict)
    run_time_s: int = 0
    memory_mb: int = 0
    idle_s: int = 0
    network: bool = False
    home: str | None = None
    readable: tuple[str, ...] = ()
