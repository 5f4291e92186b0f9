"""What is on a tenant's root channel, and who keeps it true?

Source: PROTOCOL.md section 6.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from ahp_platform.agents import registry
from ahp_platform.eventlog.log import TenantLog
from ahp_platform.eventlog.view import Readers, View
from ahp_platform.protocol import uris
from ahp_platform.protocol.errors import NotFound


async def ensure_root(log: TenantLog) -> None:
    """Open the root channel of a tenant that is used for the first time, and bring its agents up to date."""
    agents = registry.agent_infos()
    with suppress(NotFound):
        if (await log.state(uris.ROOT))["agents"] == agents:
            return

    def plan(view: View) -> None:
        if not view.exists(uris.ROOT):
            state: dict[str, Any] = {"agents": agents, "activeSessions": 0, "terminals": []}
            view.open(uris.ROOT, "root", state)
        elif view.state(uris.ROOT)["agents"] != agents:
            view.act(uris.ROOT, {"type": "root/agentsChanged", "agents": agents})

    await log.append(plan)


def count_session(view: View, readers: Readers, change: int) -> None:
    """A session came (+1) or went (-1). Private ones are not counted: the number is for the whole tenant to see."""
    if readers is None and view.exists(uris.ROOT):
        count = max(0, view.state(uris.ROOT).get("activeSessions", 0) + change)
        view.act(uris.ROOT, {"type": "root/activeSessionsChanged", "activeSessions": count})
