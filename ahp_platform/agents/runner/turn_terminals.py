"""How does a turn run commands that its agent follows by itself?"""

from __future__ import annotations

from ahp_platform.agents.backend import Command, CommandOutput
from ahp_platform.agents.claims import Claim
from ahp_platform.agents.runner.ports import CommandRequest, ports
from ahp_platform.agents.runner.waits import Waits
from ahp_platform.agents.workspace_files import WorkspaceFiles
from ahp_platform.eventlog.log import TenantLog


class TurnTerminals:
    """The `Terminals` of one turn. What a command does is asked for even when the turn is over; none is started then."""

    def __init__(self, claim: Claim, log: TenantLog, files: WorkspaceFiles, waits: Waits) -> None:
        self._claim, self._log, self._files, self._waits = claim, log, files, waits

    async def start(self, command: Command) -> str:
        """See `Terminals`."""
        self._waits.check_open()
        request = CommandRequest(
            session=self._claim.session,
            turn_id=self._claim.key.turn_id,
            tool_call_id=command.tool_call_id,
            command=command.line,
            directory=self._files.directory(command.directory),
            user_id=self._claim.user_id,
            environment=command.environment,
        )
        return await ports().commands.start(self._log, request)

    async def output(self, terminal: str) -> CommandOutput:
        """See `Terminals`."""
        return await ports().commands.output(self._log, terminal)

    async def finished(self, terminal: str) -> CommandOutput:
        """See `Terminals`."""
        with self._waits.elsewhere():
            await ports().commands.finished(self._log, terminal)
        return await self.output(terminal)

    async def end(self, terminal: str) -> None:
        """See `Terminals`."""
        await ports().commands.stop(self._log, terminal)
