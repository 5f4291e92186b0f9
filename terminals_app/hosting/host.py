"""Which work are the terminals of a host process?

A terminal that a dead host held is ended, with everything that it had started; one that nobody can use any more is disposed of.
Source: DESIGN.md section 5.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from ahp_platform import sandbox
from ahp_platform.eventlog.log import TenantLog
from ahp_platform.eventlog.logs import logs
from ahp_platform.eventlog.view import View
from ahp_platform.leases.host import run_work
from ahp_platform.sandbox import leftovers
from terminals_app import terminals
from terminals_app.hosting import claims
from terminals_app.hosting.claims import Claim
from terminals_app.hosting.terminal_run import TerminalRun


class Terminals:
    """The terminals of this process."""

    name = "terminals"
    rows = claims.TERMINALS
    at_once = 20
    # A shell does not end by itself.
    finish_s = 0.0
    end_s = 4.0

    def begin(self, claim: Claim, log: TenantLog) -> TerminalRun:
        """See `Work`."""
        return TerminalRun(claim, log)

    async def end(self, lost: Sequence[Claim]) -> None:
        """See `Work`."""
        await asyncio.to_thread(leftovers.end_all, [claim.marker for claim in lost])
        for claim in lost:
            await _end(claim)

    async def look_after(self) -> None:
        """See `Work`."""
        for tenant_id, uri in await claims.forsaken():
            await _dispose(tenant_id, uri)

    async def close(self) -> None:
        """See `Work`."""


async def _end(claim: Claim) -> None:
    def plan(view: View) -> None:
        terminals.end(view, claim.uri, terminals.KILLED)

    await (await logs.open(claim.tenant_id)).append(plan)


async def _dispose(tenant_id: int, uri: str) -> None:
    await (await logs.open(tenant_id)).append(lambda view: terminals.dispose(view, uri))


async def run_terminals(stop: asyncio.Event) -> None:
    """Run terminals until `stop`, then end them. The logs must have been started."""
    await asyncio.to_thread(sandbox.announce)
    await run_work(Terminals(), stop)
