"""How do agents get at the MCP servers of a session that other processes may keep?"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from ahp_platform.agents.backend import TurnFailed
from ahp_platform.eventlog.log import TenantLog
from ahp_platform.fanout import hosts
from ahp_platform.mcp.failures import McpFailed, McpRefused
from ahp_platform.mcp.switchboard import Heard, NotKept, switchboard, unheard
from sessions_app.customizations import rows

Json = dict[str, Any]

# How often a session that nobody keeps is asked for: each time a host has some seconds to take it.
TRIES = 3


class McpTools:
    """Implements `agents.runner.ports.McpTools`."""

    async def servers(self, log: TenantLog, session: str) -> Sequence[Json]:
        """The servers that an agent is to run itself: those that are switched on."""
        try:
            answer = await _asked(log, session, {"op": "declared"}, unheard)
        except McpFailed:
            # An agent without them is better than none.
            return ()
        found: Sequence[Json] = answer["servers"]
        return found

    async def call(
        self, log: TenantLog, session: str, server: str, params: Json, user_id: int | None, heard: Heard
    ) -> Json:
        """See `agents.runner.ports.McpTools`."""
        question = {"op": "call", "server": server, "params": params, "user": user_id}
        try:
            return await _asked(log, session, question, heard)
        except (McpFailed, McpRefused) as failure:
            raise TurnFailed("mcp", str(failure)) from None


async def _asked(log: TenantLog, session: str, question: Json, heard: Heard) -> Json:
    for _ in range(TRIES - 1):
        try:
            return await switchboard.ask(log.tenant_id, session, question, heard)
        except NotKept:
            await rows.wanted([(log.tenant_id, session)])
            hosts.wake()
            await asyncio.sleep(0.1)
    return await switchboard.ask(log.tenant_id, session, question, heard)
