"""How are the customizations of one session kept: read, watched, published by clients, switched on and off?

One host process at a time keeps a session. It follows the session like any other reader, and everything that it finds goes in through
the log; so what people see never depends on who keeps it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from typing import Any

from django.conf import settings

from ahp_platform.eventlog.entry import ACTION, Entry
from ahp_platform.eventlog.feed import Feed
from ahp_platform.eventlog.log import TenantLog
from ahp_platform.eventlog.view import View
from ahp_platform.mcp.switchboard import switchboard
from ahp_platform.protocol import jsonrpc
from ahp_platform.protocol.errors import NotFound
from ahp_platform.workspaces.paths import LeadsOut, NotAFileUri
from sessions_app.customizations import merge, rows, scan
from sessions_app.customizations.equipment import Equipment
from sessions_app.customizations.home import SessionHome
from sessions_app.customizations.plugins import Plugins
from sessions_app.customizations.rows import Claim
from sessions_app.customizations.scan import Found
from sessions_app.customizations.sources import Workspace
from sessions_app.customizations.watching import Watching

logger = logging.getLogger(__name__)

# Long enough for a checkout to be done with most of its files; a change after it is read for itself.
GATHER_S = 0.3
# Beyond this a state would grow without use to anybody.
MAX_CUSTOMIZATIONS = 300

STARTS, STOPS = "session/mcpServerStartRequested", "session/mcpServerStopRequested"
DIRECTORIES = frozenset({"session/workingDirectorySet", "session/workingDirectoryRemoved"})
CLIENTS = frozenset({"session/activeClientSet", "session/activeClientRemoved"})


class Keeper:
    """Keeps one session. Implements `leases.host.Run`."""

    def __init__(self, claim: Claim, log: TenantLog) -> None:
        self.claim, self._log = claim, log
        self._home = SessionHome(log, claim.session)
        self.equipment = Equipment(self._home)
        self._plugins = Plugins(log.tenant_id, self._wake)
        self._watching = Watching(self._wake_disk)
        self._dirty, self._reading = asyncio.Event(), asyncio.Lock()
        self._disk_changed = True
        self._workspaces: list[Workspace] = []
        self._found = Found()
        self._over = asyncio.Event()
        self._lost = False

    async def run(self) -> None:
        """Keep it until the session is gone, nobody cares for it, or the process ends."""
        key = self._log.tenant_id, self.claim.session
        try:
            async with self._log.follow(self.claim.session) as feed:
                switchboard.serve(*key, self.equipment)
                await self._keep(feed)
        except NotFound:
            logger.debug("a session was gone before its customizations were read")
        finally:
            switchboard.withdraw(*key)
            await self._let_go()
        if not self._lost:
            await rows.put_back(self.claim)

    def lose(self) -> None:
        """See `Run`."""
        self._lost = True
        self._over.set()

    def stop(self) -> None:
        """See `Run`."""
        self._over.set()

    async def release(self) -> None:
        """Nobody seems to care: let go of it, unless somebody does or a server was in use lately."""
        if self.equipment.runs and self.equipment.idle_s > settings.AHP_AGENT_IDLE_S:
            await self.equipment.stop_all()
        if not self.equipment.runs and not self._over.is_set() and await rows.release(self.claim):
            self.stop()

    async def _keep(self, feed: Feed) -> None:
        works = [asyncio.create_task(work) for work in (self._follow(feed), self._refresh(), self._over.wait())]
        try:
            done, _ = await asyncio.wait(works, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in works:
                task.cancel()
            await asyncio.gather(*works, return_exceptions=True)

    async def _let_go(self) -> None:
        await self.equipment.stop_all(silent=self._lost)
        self._plugins.close()
        await self._watching.close()

    # ---- what the session says

    async def _follow(self, feed: Feed) -> None:
        self._home.directories = list(feed.state.get("workingDirectories", ()))
        self._plugins.publish(feed.state["activeClients"])
        # Before anything is started it must be known what there is.
        await self._read()
        for item, _ in merge.servers((await self._state()).get("customizations", ())):
            if item["state"]["kind"] == "starting":
                await self.equipment.start(item["id"], None)
        async for entry in feed:
            if entry.kind == ACTION:
                await self._obey(entry)

    async def _obey(self, entry: Entry) -> None:
        kind = entry.action["type"]
        if kind == STARTS:
            await self.equipment.start(entry.action["id"], entry.user_id)
        elif kind == STOPS:
            await self.equipment.stop(entry.action["id"])
        elif kind == "session/customizationToggled":
            await self.equipment.allow((await self._state()).get("customizations", ()))
        elif kind in DIRECTORIES:
            self._home.directories = list((await self._state()).get("workingDirectories", ()))
            self._wake_disk()
        elif kind in CLIENTS:
            self._plugins.publish((await self._state())["activeClients"])
            self._wake()

    # ---- what is found

    def _wake(self) -> None:
        self._dirty.set()

    def _wake_disk(self) -> None:
        self._disk_changed = True
        self._dirty.set()

    async def _refresh(self) -> None:
        while True:
            await self._dirty.wait()
            await asyncio.sleep(GATHER_S)
            self._dirty.clear()
            await self._read()

    async def _read(self) -> None:
        """Bring the state in line with what there is."""
        async with self._reading:
            if self._disk_changed:
                self._disk_changed = False
                self._found = await self._of_disk()
            await self._bring_in()

    async def _bring_in(self) -> None:
        found = Found(list(self._found.customizations), dict(self._found.servers))
        found.add(self._plugins.found(taken={item["id"] for item in merge.every(found.customizations)}))
        found.customizations = jsonrpc.without_lone_surrogates(found.customizations[:MAX_CUSTOMIZATIONS])
        await self.equipment.declare(found.servers)
        await self._log.append(lambda view: _brought_in(view, self.claim.session, found.customizations))
        await self.equipment.allow((await self._state()).get("customizations", ()))

    async def _of_disk(self) -> Found:
        self._workspaces = _workspaces(self._log.slug, self.claim.session, self._home.directories)
        # Watch first, look afterwards: what changes while we look is looked at again.
        await self._watching.watch(self._workspaces)
        found = Found()
        for each in self._workspaces:
            found.add(await scan.of_workspace(each))
        return found

    async def _state(self) -> Mapping[str, Any]:
        state: Mapping[str, Any] = await self._log.state(self.claim.session)
        return state


def _workspaces(slug: str, session: str, directories: Sequence[str]) -> list[Workspace]:
    found = []
    for directory in directories:
        try:
            found.append(Workspace.of(slug, session, directory))
        except (LeadsOut, NotAFileUri):
            logger.info("a working directory cannot be looked through")
    return found


def _brought_in(view: View, session: str, found: Sequence[Mapping[str, Any]]) -> None:
    if not view.exists(session):
        return
    for action in merge.actions(found, view.state(session).get("customizations", ())):
        view.act(session, action)
