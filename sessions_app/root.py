"""What is on a tenant's root channel, and who keeps it true?

Source: PROTOCOL.md section 6.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from ahp_platform.agents import registry
from ahp_platform.eventlog.log import TenantLog
from ahp_platform.eventlog.logs import logs
from ahp_platform.eventlog.view import Readers, View
from ahp_platform.protocol import uris
from ahp_platform.protocol.errors import NotFound


async def ensure_root(log: TenantLog) -> None:
    """Open the root channel of a tenant that is used for the first time, and bring its agents up to date."""
    if await _has(log, registry.agent_infos(log.tenant_id)):
        return
    async with registry.catalogue.settled():
        # Another process may have told the tenant already what we have only just learnt.
        await log.refresh()
        await log.append(_with(registry.agent_infos(log.tenant_id)))


async def agents_changed() -> None:
    """Operators have edited agents: tell the tenants that are in use here; the others hear of it when somebody comes."""
    for log in logs:
        await ensure_root(log)


async def _has(log: TenantLog, agents: list[dict[str, Any]]) -> bool:
    with suppress(NotFound):
        return bool((await log.state(uris.ROOT))["agents"] == agents)
    return False


def _with(agents: list[dict[str, Any]]) -> Callable[[View], None]:
    def plan(view: View) -> None:
        if not view.exists(uris.ROOT):
            state: dict[str, Any] = {"agents": agents, "activeSessions": 0, "terminals": []}
            view.open(uris.ROOT, "root", state)
        elif view.state(uris.ROOT)["agents"] != agents:
            view.act(uris.ROOT, {"type": "root/agentsChanged", "agents": agents})

    return plan


def count_session(view: View, readers: Readers, change: int) -> None:
    """A session came (+1) or went (-1). Private ones are not counted: the number is for the whole tenant to see."""
    if readers is None and view.exists(uris.ROOT):
        count = max(0, view.state(uris.ROOT).get("activeSessions", 0) + change)
        view.act(uris.ROOT, {"type": "root/activeSessionsChanged", "activeSessions": count})
