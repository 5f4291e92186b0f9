"""How does the agent that a row describes become one that sessions are opened with?"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from ahp_platform.agents.backend import AgentBackend, AgentSession, Json, SessionInfo, TurnFailed
from ahp_platform.agents.backends.acp.specification import AgentSpecification
from ahp_platform.agents.catalogue import folders
from ahp_platform.agents.catalogue.entry import Entry
from ahp_platform.agents.catalogue.rows import Agent

Maker = Callable[[AgentSpecification], AgentBackend]


class Standing(NamedTuple):
    """Whether an agent can be started: `problem` says why not, `waits` that it may be soon; both are shown to people."""

    problem: str = ""
    waits: bool = False


class RowBackend:
    """An `AgentBackend` made of a row. It does not change: an edited row is another one."""

    def __init__(self, entry: Entry, make: Maker) -> None:
        self.entry, self._make = entry, make
        self._specification = entry.specification()
        described = make(self._specification)
        self._info, self._options = described.info(), described.options()

    @property
    def idle_s(self) -> int:
        """See `AgentBackend`."""
        return self.entry.idle_s

    def info(self) -> Json:
        """See `AgentBackend`."""
        return dict(self._info)

    def options(self) -> Json:
        """See `AgentBackend`."""
        return dict(self._options)

    async def open(self, session: SessionInfo) -> AgentSession:
        """See `AgentBackend`. Says what is missing before it starts anything."""
        problem = (await asyncio.to_thread(self.standing)).problem
        if problem:
            raise TurnFailed("agentMissing", problem)
        specification = self._specification
        if self.entry.own_home:
            home = await asyncio.to_thread(folders.home, self.entry.provider, session.tenant)
            specification = replace(specification, home=str(home))
        return await self._make(specification).open(session)

    def standing(self) -> Standing:
        """Whether its program is there to be started on this machine. Looks at the disk."""
        return standing(self.entry)


def standing(entry: Entry) -> Standing:
    """Whether the agent's program is there to be started on this machine."""
    name = entry.display_name
    if entry.package_kind and not entry.folder:
        if entry.offered:
            how_far = f": {entry.install_message}" if entry.install_message else "."
            return Standing(f"{name} is being installed{how_far}", waits=True)
        if entry.install_state == Agent.Install.FAILED:
            return Standing(f"{name} could not be installed. An operator finds the reason on the agent's page.")
        return Standing(f"{name} is not installed. An operator can install it.")
    if entry.package_kind and not folders.versions(entry.provider).joinpath(entry.folder).is_dir():
        return Standing(f"The installation of {name} is gone. An operator can install it again.")
    path = str(
        entry.environment.get("PATH") or folders.program_path(folders.installation(entry.provider, entry.folder))
    )
    if folders.program(entry.command[0], path) is None:
        return Standing(
            f"The program of {name}, {entry.command[0]}, is not on this host. An operator can install it, or correct the command."
        )
    return Standing()
