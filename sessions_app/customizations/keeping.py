"""How does a host process keep the customizations of sessions, and how does it hear that somebody cares for them?"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol

import psycopg

from ahp_platform.eventlog.log import TenantLog
from ahp_platform.eventlog.logs import logs
from ahp_platform.eventlog.view import NeedsChannel, View
from ahp_platform.fanout import groups, hosts
from ahp_platform.fanout.hub import Message, hub
from ahp_platform.leases.host import run_work
from ahp_platform.leases.rows import Lease, LeasedRows
from ahp_platform.protocol.errors import NotFound
from ahp_platform.rpc.context import Principal
from sessions_app.customizations import merge, rows
from sessions_app.customizations.keeper import Keeper
from sessions_app.customizations.rows import ROWS, SEEN_EVERY_S, Claim

logger = logging.getLogger(__name__)

LOOK_EVERY_S = 20.0
ALIVE = frozenset({"starting", "ready", "authRequired"})


class Subscriber(Protocol):
    """A connection, as far as it is of interest here."""

    @property
    def principal(self) -> Principal:
        """Whose it is."""

    @property
    def subscriptions(self) -> Mapping[str, object]:
        """What it follows."""

    def put(self, frame: str) -> None:
        """Send a frame."""


# The connections of this process.
Connections = Callable[[], Iterable[Subscriber]]


class Keeping:
    """Implements `leases.host.Work`."""

    name = "customizations"
    rows: LeasedRows[Claim] = ROWS
    at_once = 20
    finish_s = 0.0
    end_s = 5.0

    def __init__(self) -> None:
        self._keepers: dict[Lease, Keeper] = {}
        self._looked = time.monotonic()
        hub.on("mcp.authenticated", self._authenticated)

    def begin(self, claim: Claim, log: TenantLog) -> Keeper:
        """See `Work`."""
        keeper = _Registered(claim, log, self._keepers)
        self._keepers[claim.lease] = keeper
        return keeper

    async def end(self, lost: Sequence[Claim]) -> None:
        """See `Work`: the servers of a dead host are stopped, and the sessions wait for another."""
        for claim in lost:
            log = await logs.open(claim.tenant_id)
            await log.append(lambda view, session=claim.session: _stopped(view, session))  # type: ignore[misc]
            await rows.put_back(claim)

    async def look_after(self) -> None:
        """See `Work`: let go of sessions that nobody has followed for a while."""
        if time.monotonic() - self._looked < LOOK_EVERY_S:
            return
        self._looked = time.monotonic()
        for lease in await rows.unwanted(tuple(self._keepers)):
            keeper = self._keepers.get(lease)
            if keeper is not None:
                await keeper.release()

    async def close(self) -> None:
        """See `Work`."""

    def _authenticated(self, message: Message) -> None:
        for keeper in tuple(self._keepers.values()):
            if keeper.claim.tenant_id == message["tenant"]:
                keeper.equipment.authenticated(message["user"], message["resource"])


class _Registered(Keeper):
    """A keeper that its host finds while it runs."""

    def __init__(self, claim: Claim, log: TenantLog, running: dict[Lease, Keeper]) -> None:
        super().__init__(claim, log)
        self._running = running

    async def run(self) -> None:
        """See `Keeper`."""
        try:
            await super().run()
        finally:
            self._running.pop(self.claim.lease, None)


async def run_keeping(stop: asyncio.Event) -> None:
    """Keep sessions until `stop`. The logs must have been started."""
    await run_work(Keeping(), stop)


async def care_forever(connections: Connections) -> None:
    """In every process with sockets: say which sessions are followed, at once for those that are new."""
    known: set[tuple[int, str]] = set()
    said = time.monotonic()
    while True:
        await asyncio.sleep(1.0)
        now = _followed(connections())
        again = time.monotonic() - said > SEEN_EVERY_S
        try:
            if await rows.wanted(now if again else now - known):
                hosts.wake()
        except psycopg.Error as error:
            logger.warning("who follows which session was not noted: %s", type(error).__name__)
            continue
        known, said = now, time.monotonic() if again else said


def _followed(connections: Iterable[Subscriber]) -> set[tuple[int, str]]:
    """Tenants and sessions. What is no session has no row either, so only what cannot be one is left out."""
    every = {(each.principal.tenant_id, uri) for each in connections for uri in each.subscriptions}
    known = {log.tenant_id: log for log in logs}
    return {(tenant, uri) for tenant, uri in every if tenant in known and _is_session(known[tenant], uri)}


def _is_session(log: TenantLog, uri: str) -> bool:
    try:
        return log.peek(uri).kind == "session"
    except (NeedsChannel, NotFound):
        return False


def authenticated(tenant_id: int, user_id: int, resource: str) -> None:
    """Tell whoever waits for it that a user has given a token."""
    told = {"tenant": tenant_id, "user": user_id, "resource": resource}
    hub.publish(groups.of_tenant(tenant_id), {"type": "mcp.authenticated", **told})


def _stopped(view: View, session: str) -> None:
    if not view.exists(session):
        return
    for item, _ in merge.servers(view.state(session).get("customizations", ())):
        if item["state"]["kind"] in ALIVE:
            view.act(session, {"type": "session/mcpServerStateChanged", "id": item["id"], "state": {"kind": "stopped"}})
