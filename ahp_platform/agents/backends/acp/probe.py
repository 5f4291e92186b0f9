"""What can an agent do? Asked of the agent itself, in a directory where it can do no harm."""

from __future__ import annotations

import asyncio
import tempfile

from acp.schema import AvailableCommandsUpdate

from ahp_platform.agents.backend import Json
from ahp_platform.agents.backends.acp import options, updates
from ahp_platform.agents.backends.acp.client import AgentClient
from ahp_platform.agents.backends.acp.process import AgentProcess
from ahp_platform.agents.backends.acp.specification import AgentSpecification
from ahp_platform.agents.launching import Launcher, LaunchRequest

# Agents tell of their commands after they have answered.
COMMANDS_WITHIN_S = 1.0


async def probe(specification: AgentSpecification, launcher: Launcher) -> Json:
    """Start it, begin a session and end it again. What comes back is stored as `discovered` and shown to operators:
    `models`, `modes`, `configOptions`, `properties` (of a session's configuration), `commands`, `authMethods`, `capabilities`
    and `agentInfo`. Raises `TurnFailed` with a message that helps.
    """
    commands: asyncio.Future[list[Json]] = asyncio.get_running_loop().create_future()

    async def update(params: Json) -> None:
        read = updates.read(params)
        if read and isinstance(read[1], AvailableCommandsUpdate) and not commands.done():
            listed = read[1].available_commands
            commands.set_result([{"name": each.name, "description": each.description} for each in listed])

    with tempfile.TemporaryDirectory(prefix="ahp-probe-") as directory:
        writable = [directory, *([specification.home] if specification.home else [])]
        request = LaunchRequest(
            tenant="",
            session=None,
            argv=specification.command,
            directory=directory,
            environment={**specification.environment, "HOME": specification.home or directory},
            network=specification.network,
            memory_mb=specification.memory_mb,
            readable=specification.readable,
            writable=writable,
        )
        client = AgentClient(lambda _: None)
        process = await AgentProcess.start(specification.display_name, launcher, request, client, update)
        try:
            session = await process.call("session_new", {"cwd": directory, "mcpServers": []})
            await asyncio.wait({commands}, timeout=COMMANDS_WITHIN_S)
            return _found(specification.provider, process, session, commands.result() if commands.done() else [])
        finally:
            await process.close()


def _found(provider: str, process: AgentProcess, session: Json, commands: list[Json]) -> Json:
    choices = options.choices(session)
    return {
        "models": options.models(provider, choices),
        "modes": (session.get("modes") or {}).get("availableModes") or [],
        "configOptions": session.get("configOptions") or [],
        "properties": options.properties(choices),
        "commands": commands,
        "authMethods": process.about.get("authMethods") or [],
        "capabilities": dict(process.capabilities),
        "agentInfo": process.about.get("agentInfo") or {},
    }
