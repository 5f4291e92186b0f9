"""What do the MCP servers of one session share: where they run, and where what becomes of them is shown?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.conf import settings

from ahp_platform.agents.launching import LaunchRequest
from ahp_platform.eventlog.log import TenantLog
from ahp_platform.eventlog.view import View
from ahp_platform.fanout import groups
from ahp_platform.fanout.hub import hub
from ahp_platform.mcp import offers
from ahp_platform.mcp.connection import Connection, Transport
from ahp_platform.mcp.declared import Declared
from ahp_platform.mcp.http import Address, Reach
from ahp_platform.protocol import jsonrpc
from ahp_platform.protocol.channels.session.customizations import change_at, customization_at, find_customization
from ahp_platform.workspaces import paths
from sessions_app import workspace
from sessions_app.customizations import rows
from sessions_app.customizations.line import Line, Program
from sessions_app.customizations.ports import ports

Json = dict[str, Any]


class SessionHome:
    """Implements `server.Home` for a session."""

    def __init__(self, log: TenantLog, session: str) -> None:
        self._log, self._session = log, session
        # The working directories, as `file:` URIs; servers run in the first.
        self.directories: list[str] = []
        # What each server that is ready offers on its side channel.
        self._offers: dict[str, Json] = {}

    async def open(self, server: str, declared: Declared, token: str | None) -> Line:
        """See `server.Home`."""
        network = await ports().has_network(self._log.tenant_id)
        program = None if declared.url else await self._program(declared, network)
        line = Line(program, token)
        reach = Reach(settings.AHP_MCP_PRIVATE_HOSTS, network)
        transport: Transport = program.pipes if program else Address(declared.url, declared.headers, token, reach)
        line.connection = Connection(
            transport, self.directories, line.elicited, lambda method: self._noticed(server, method)
        )
        try:
            await line.connection.open()
        except BaseException:
            await line.close()
            raise
        return line

    async def token(self, user_id: int | None, resource: str) -> str | None:
        """See `server.Home`."""
        return (await ports().tokens(self._log.tenant_id, user_id, [resource])).get(resource)

    async def report(self, server: str, state: Json, capabilities: Json | None = None) -> None:
        """See `server.Home`: with its side channel while it is ready and offers something there."""
        offered = offers.advertised(capabilities or {})
        self._offers[server] = offered
        channel = self.channel(server) if offered else None
        # It holds what a server says of itself.
        shown = jsonrpc.without_lone_surrogates(state)

        def plan(view: View) -> None:
            if view.exists(self._session):
                _shown(view, self._session, server, (shown, offered, channel))

        await self._log.append(plan)

    async def challenged(self, server: str, requirement: Json) -> None:
        """See `server.Home`."""
        await rows.challenged(self._log.tenant_id, self._session, server, requirement["resource"])

    def channel(self, server: str) -> str:
        """The URI of a server's side channel, the same for as long as there is the server."""
        return f"mcp://{paths.own_directory_name(self._session)}/{server}"

    async def _program(self, declared: Declared, network: bool) -> Program:
        root = workspace.root(self._log.slug)
        directory = workspace.path_of(self._log.slug, self.directories[0]) if self.directories else root
        request = LaunchRequest(
            tenant=self._log.slug,
            session=self._session,
            argv=declared.command,
            directory=str(directory),
            environment=declared.environment,
            network=network,
        )
        return await Program.started(ports().launcher, request)

    def _noticed(self, server: str, method: str) -> None:
        """Forward what the server announces to those who follow its channel, as far as that was offered."""
        if offers.forwards(self._offers.get(server, {}), method):
            tenant_id = self._log.tenant_id
            notice = {"tenant": tenant_id, "channel": self.channel(server), "method": method}
            hub.publish(groups.of_tenant(tenant_id), {"type": "mcp.notice", **notice})


def _shown(view: View, session: str, server: str, what: tuple[Json, Mapping[str, Any], str | None]) -> None:
    state, offered, channel = what
    place = find_customization(view.state(session), server)
    if place is None:
        return
    item = customization_at(view.state(session), place)
    if offered and item.get("mcpApp") != {"capabilities": offered}:
        apps = {"capabilities": dict(offered)}
        changed = change_at(view.state(session), place, lambda old: {**old, "mcpApp": apps})
        view.act(
            session, {"type": "session/customizationUpdated", "customization": changed["customizations"][place[0]]}
        )
    action: Json = {"type": "session/mcpServerStateChanged", "id": server, "state": state}
    if channel is not None:
        if not view.exists(channel):
            view.open(channel, "mcp", {}, parent=session)
        action["channel"] = channel
    view.act(session, action)
