"""What runs in a process besides answering connections?

A web process keeps the logs current and checks its sockets; a host process also runs agents and sweeps. Which of them
this process is, `AHP_ROLES` says.
"""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import Coroutine
from typing import Any

from django.conf import settings

from ahp_platform import wiring
from ahp_platform.agents import leavings, registry
from ahp_platform.agents.catalogue import sweep as sweep_agents
from ahp_platform.agents.runner.host import run_turns
from ahp_platform.connection.registry import sockets
from ahp_platform.eventlog import workers
from ahp_platform.eventlog.logs import logs
from ahp_platform.eventlog.retention import trim_forever
from ahp_platform.row_security.checks import warn_unless_fenced
from ahp_platform.rpc.peer import peers
from auth_app import audit, message_rates, stored_bytes
from changesets_app.sweeps import sweep_forever as sweep_resources
from changesets_app.watches.registry import watches
from sessions_app.customizations.keeping import care_forever, run_keeping
from sessions_app.sweeps import sweep_forever
from terminals_app.hosting.host import run_terminals

logger = logging.getLogger(__name__)

STOP_S = 10.0


def collect_less() -> None:
    """States are large, long-lived and without cycles: looking through them all every 700 objects finds nothing."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


class Background:
    """The tasks of this process."""

    def __init__(self) -> None:
        self._tasks: list[asyncio.Task[None]] = []
        self._hosts: list[asyncio.Task[None]] = []
        self._stop = asyncio.Event()

    async def start(self) -> None:
        """Start everything that the process's roles ask for."""
        collect_less()
        warn_unless_fenced()
        wiring.configure()
        peers.listen()
        await logs.start()
        sockets.start()
        await registry.catalogue.begin()
        self._spawn(registry.catalogue.refresh_forever())
        self._spawn(workers.beat(",".join(sorted(settings.AHP_ROLES))))
        self._spawn(message_rates.share_forever())
        self._spawn(care_forever(lambda: sockets))
        if "host" in settings.AHP_ROLES:
            self._hosts = [asyncio.create_task(run(self._stop)) for run in (run_turns, run_terminals, run_keeping)]
            self._spawn(sweep_forever())
            self._spawn(audit.trim_forever())
            self._spawn(sweep_agents.sweep_forever())
            self._spawn(leavings.sweep_forever())
            self._spawn(stored_bytes.measure_forever())
            self._spawn(sweep_resources())
            self._spawn(trim_forever())

    async def stop(self) -> None:
        """Close sockets, end the agents' turns in good order, then let go of the log."""
        await sockets.stop()
        self._stop.set()
        if self._hosts:
            await asyncio.wait(self._hosts, timeout=STOP_S)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await watches.stop()
        try:
            await workers.leave()
        except Exception:
            logger.warning("the process could not sign off", exc_info=True)
        await logs.stop()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        self._tasks.append(asyncio.create_task(work))
