"""How is a program started for an agent, and what may it see of this machine?

A backend gets a `Launcher`; `launcher.py` has the one that this host uses.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class LaunchRequest:
    """A program to run for an agent: in `directory` (a host path), for a session (its URI) of a tenant (its slug) or for none.

    `readable` and `writable` are host paths that it sees besides what everything in the tenant's sandbox sees. `memory_mb` 0 is
    no limit. The environment holds secrets: it is never logged.
    """

    tenant: str
    session: str | None
    argv: Sequence[str]
    directory: str
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    network: bool = False
    memory_mb: int = 0
    readable: Sequence[str] = ()
    writable: Sequence[str] = ()


class Launcher(Protocol):
    """Starts programs where agents may run."""

    async def start(self, request: LaunchRequest) -> asyncio.subprocess.Process:
        """The program with pipes, a process group of its own. Raises `TurnFailed` with a message that helps."""

    async def end(self, process: asyncio.subprocess.Process) -> None:
        """End it with everything that it has started, wherever that has gone; returns when it is over."""
