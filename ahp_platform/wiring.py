"""Which pieces make up this host? The one place that names the apps' tables."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ahp_platform.agents import registry
from ahp_platform.agents.launcher import launcher
from ahp_platform.agents.runner import ports
from ahp_platform.connection.registry import sockets
from ahp_platform.eventlog.entry import ACTION, Entry
from ahp_platform.eventlog.log import TenantLog
from ahp_platform.eventlog.logs import logs
from ahp_platform.eventlog.view import State, View
from ahp_platform.fanout import hosts
from ahp_platform.mcp.switchboard import switchboard
from ahp_platform.protocol import jsonrpc, uris
from ahp_platform.rpc import handshake, subscriptions
from ahp_platform.rpc.context import Context
from ahp_platform.rpc.table import Handler, Service
from auth_app import audit, clients, grants, message_rates, open_sockets, policy, quotas, stored_bytes
from auth_app.audited_policy import AuditedPolicy
from auth_app.bearer import still_valid
from auth_app.lapses import Lapses
from auth_app.rpc import METHODS as AUTH_METHODS
from auth_app.rpc import others_advertise
from auth_app.turn_room import TurnRoom
from changesets_app import content, space
from changesets_app.rpc import ResourceMethods
from changesets_app.watches.registry import watches
from sessions_app import consequences as of_sessions
from sessions_app import presence, queue, workspace
from sessions_app.customizations import keeping, tools
from sessions_app.customizations import ports as of_customizations
from sessions_app.customizations.rows import advertised
from sessions_app.customizations.side_channel import SideChannel, forward_notices
from sessions_app.intakes import INTAKES, PREPARATIONS
from sessions_app.root import agents_changed, ensure_root
from sessions_app.rpc import SessionMethods, unsubscribe
from sessions_app.worker_chats import WorkerChats
from terminals_app import consequences as of_terminals
from terminals_app.command_runs import SessionCommands
from terminals_app.hosting.claims import has_network
from terminals_app.intakes import TerminalIntakes
from terminals_app.rpc import TerminalMethods

lapses = Lapses()
room = TurnRoom()

ENDED_CLOSE = 4403

# What streams; asking every app about each piece of it would cost more than the piece.
NOTHING_FOLLOWS = frozenset({"chat/delta", "chat/reasoning", "chat/toolCallDelta"})

# What waits for a host to take it up.
AWAITED = tuple(
    f'{{"type":"{kind}"' for kind in ("chat/turnStarted", "session/ready", "session/mcpServerStartRequested")
)


def service() -> Service:
    """What connections are served with."""
    intro = handshake.Introduction(policy, clients.bind_client, _met, workspace.root_uri)
    methods: dict[str, Handler] = {
        "initialize": Handler(lambda context, params: handshake.initialize(context, intro, params)),
        "reconnect": Handler(lambda context, params: handshake.reconnect(context, intro, params)),
        "subscribe": Handler(lambda context, params: subscriptions.subscribe(context, policy, params)),
        "unsubscribe": Handler(unsubscribe),
        **SessionMethods(policy, grants).table(),
        **{name: Handler(call, ordered=False) for name, call in AUTH_METHODS.items()},
        **TerminalMethods(policy).table(),
        **ResourceMethods(policy, workspace.readers_of_own_directories).table(),
    }
    methods |= _limited(methods)
    methods = {name: audit.audited(name, handler) for name, handler in methods.items()}
    intakes = {**INTAKES, **TerminalIntakes(policy).table()}
    intakes |= {kind: audit.from_where(intakes.get(kind)) for kind in audit.CONFIRMATIONS}
    turns = quotas.TurnQuotas()
    intakes["chat/turnStarted"] = turns.intake(intakes["chat/turnStarted"])
    knowing = {"chat/turnStarted": turns.know, "chat/pendingMessageSet": room.know}
    judge = AuditedPolicy()
    preparations = {**PREPARATIONS, **knowing}
    return Service(methods, intakes, judge, preparations, message_rates.rates.count, SideChannel(judge))


def _limited(methods: Mapping[str, Handler]) -> dict[str, Handler]:
    """The methods that make more of something, as far as there is room for it."""
    return {
        "createSession": quotas.limited(quotas.SESSIONS, methods["createSession"]),
        "createChat": quotas.first_turn_limited(methods["createChat"]),
        "createTerminal": quotas.limited(quotas.TERMINALS, methods["createTerminal"]),
        "resourceWrite": stored_bytes.storing(methods["resourceWrite"]),
        # How much a copy adds is found out by measuring again.
        "resourceCopy": stored_bytes.freeing(stored_bytes.storing(methods["resourceCopy"])),
        "resourceDelete": stored_bytes.freeing(methods["resourceDelete"]),
    }


def configure() -> None:
    """Tell the registries of this process what to call."""
    logs.configure(_derive, _committed)
    sockets.configure(_checked, _departed)
    queue.configure(room)
    hosts.listen()
    registry.catalogue.when_changed(agents_changed)
    watches.listen()
    space.configure(stored_bytes.may_store)
    _configure_customizations()
    commands = SessionCommands(quotas.require_terminal)
    mcp = tools.McpTools()
    told = WorkerChats(), _tokens_of, clients.locale_of, commands, content.store
    ports.configure(ports.Ports(*told, mcp_servers=mcp.servers, mcp_tools=mcp))


def _configure_customizations() -> None:
    switchboard.listen()
    forward_notices(lambda: sockets)
    others_advertise(advertised, keeping.authenticated)
    of_customizations.configure(of_customizations.Ports(launcher, watches.tree, has_network, _tokens_of))


def _derive(view: View, channel: str, before: State, after: State, action: Mapping[str, Any]) -> None:
    if action["type"] in NOTHING_FOLLOWS:
        return
    of_sessions.derive(view, channel, before, after, action)
    of_terminals.derive(view, channel, before, after, action)
    audit.of_change(view, channel, action)


async def _met(context: Context, client_id: str, channels: Sequence[str]) -> None:
    await open_sockets.opened(context, client_id)
    await ensure_root(context.log)
    await presence.met(context, client_id, channels)


async def _departed(context: Context) -> None:
    await open_sockets.closed(context)
    await presence.departed(context)


async def _checked(principals: Collection[Any]) -> Mapping[Any, Any]:
    """Every second: who is still who they were, and whose token for a protected resource has ended."""
    for lapse in await lapses.since_last_time(principals):
        params = {"channel": uris.ROOT, "resource": lapse.resource, "reason": "expired"}
        for socket in sockets:
            if (socket.principal.tenant_id, socket.principal.user_id) == lapse[:2] and socket.client.client_id:
                socket.put(jsonrpc.notification_text("auth/required", params))
    ending = await open_sockets.to_end()
    for socket in sockets:
        if socket.id in ending:
            socket.close(ENDED_CLOSE, "an operator has ended the connection")
    return await still_valid(principals)


async def _tokens_of(tenant_id: int, user_id: int | None, resources: Sequence[str]) -> Mapping[str, str]:
    return {} if user_id is None else await grants.tokens_for(tenant_id, user_id, resources)


def _committed(log: TenantLog, entries: Sequence[Entry]) -> None:
    if any(entry.kind == ACTION and entry.body.startswith(AWAITED) for entry in entries):
        hosts.wake()
