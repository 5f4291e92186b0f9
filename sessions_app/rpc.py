"""Which methods do sessions and chats have?

Each handler checks, calls one domain function and returns. Source: PROTOCOL.md sections 6 to 8.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import msgspec

from ahp_platform.agents import registry
from ahp_platform.eventlog.view import View
from ahp_platform.protocol import envelope as envelopes
from ahp_platform.protocol import versions
from ahp_platform.protocol.errors import AuthRequired, InvalidParams, PermissionDenied, ProviderNotFound
from ahp_platform.rpc import turn_pages, wire
from ahp_platform.rpc.context import Context, Principal
from ahp_platform.rpc.subscriptions import require_readable
from ahp_platform.rpc.table import Handler, Params, Policy
from sessions_app import chats, config, listing, sessions, tasks, workspace

logger = logging.getLogger(__name__)

MAX_URI = 1_000
DEFAULT_PROVIDER = "demo"


class Credentials(Protocol):
    """Which tokens of theirs people have pushed with `authenticate`."""

    async def missing(self, principal: Principal, resources: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """Those of the protected resources that the principal has no valid token for."""


class SessionMethods:
    """The handlers, with what says which channels a principal may read and which tokens they have."""

    def __init__(self, policy: Policy, credentials: Credentials) -> None:
        self._policy, self._credentials = policy, credentials

    def table(self) -> dict[str, Handler]:
        """Name to handler."""
        return {
            "listSessions": Handler(self.list_sessions, ordered=False),
            "resolveSessionConfig": Handler(self.resolve_config, ordered=False),
            "sessionConfigCompletions": Handler(self.config_completions, ordered=False),
            "createSession": Handler(self.create_session),
            "disposeSession": Handler(self.dispose_session),
            "createChat": Handler(self.create_chat),
            "disposeChat": Handler(self.dispose_chat),
            "fetchTurns": Handler(self.fetch_turns),
        }

    async def list_sessions(self, context: Context, params: Params) -> object:
        """`listSessions`."""
        who = context.principal
        found = await listing.page(who.tenant_id, who.user_id, params.get("limit"), params.get("cursor"))
        if context.client.version != wire.NEWEST:
            # Stored summaries are sent as they are only to those who read the newest version.
            found["items"] = msgspec.json.decode(found["items"])
        return found

    async def resolve_config(self, context: Context, params: Params) -> object:
        """`resolveSessionConfig`."""
        provider = await _provider(context, params)
        directories = [params["workingDirectory"]] if "workingDirectory" in params else []
        schema, values = await self._config(context, provider, directories, params.get("config", {}))
        return {"schema": schema, "values": values}

    async def config_completions(self, context: Context, params: Params) -> object:
        """`sessionConfigCompletions`."""
        directory = params.get("workingDirectory")
        log, query = context.log, params.get("query", "")
        items = await config.completions(log.tenant_id, log.slug, directory, params["property"], query)
        return {"items": items}

    async def create_session(self, context: Context, params: Params) -> None:
        """`createSession`: answers at once, the workspace is prepared afterwards."""
        uri = _new_uri(params["channel"], "params.channel")
        provider = await _provider(context, params)
        await self._require_usable(context, provider)
        asked: Sequence[str] = params.get("workingDirectories", [])
        for directory in asked:
            workspace.require_workable(context.log.slug, uri, directory)
        primary = _primary(params, asked)
        if "fork" in params:
            await require_readable(context, self._policy, params["fork"]["session"], "session")
        schema, values = await self._config(context, provider, asked, params.get("config", {}))
        directories = list(asked) or [workspace.own_directory(context.log.slug, uri)]
        if values.get("target") == "worktree":
            directories[0] = workspace.worktree(context.log.slug, uri)
            primary = directories[0] if primary == asked[0] else primary
        new = sessions.NewSession(
            uri=uri,
            owner_id=context.principal.user_id,
            provider=provider,
            config={"schema": schema, "values": values},
            working_directories=directories,
            primary=primary,
            project=workspace.project(asked[0]) if asked else None,
            fork=params.get("fork"),
            active_client=_active_client(context, params),
            connection=context.connection.id,
            progress=(context.client.client_id, params["progressToken"]) if "progressToken" in params else None,
        )
        await context.log.append(lambda view: sessions.create(view, new), user_id=context.principal.user_id)
        await hand_over(tasks.ask_to_prepare, context.log.tenant_id, uri)

    async def dispose_session(self, context: Context, params: Params) -> None:
        """`disposeSession`."""
        await require_readable(context, self._policy, params["channel"], "session")
        await context.log.append(
            lambda view: sessions.dispose(view, params["channel"]), user_id=context.principal.user_id
        )
        await hand_over(tasks.ask_to_clear, context.log.tenant_id, params["channel"])

    async def create_chat(self, context: Context, params: Params) -> None:
        """`createChat`."""
        session = params["channel"]
        _new_uri(params["chat"], "params.chat")
        await require_readable(context, self._policy, session, "session")
        state = await context.log.state(session)
        _require_role(context, state["provider"])
        capabilities = _capabilities(state["provider"])
        user_id = context.principal.user_id
        await context.log.append(lambda view: chats.create(view, session, params, capabilities), user_id=user_id)

    async def dispose_chat(self, context: Context, params: Params) -> None:
        """`disposeChat`."""
        await require_readable(context, self._policy, params["channel"], "chat")
        await context.log.append(lambda view: chats.dispose(view, params["channel"]), user_id=context.principal.user_id)

    async def fetch_turns(self, context: Context, params: Params) -> object:
        """`fetchTurns`: the older turns go to this connection alone, before the answer and without a new number."""
        uri = params["channel"]
        await require_readable(context, self._policy, uri, "chat")
        action = turn_pages.older(context.log.peek(uri).state, params.get("cursor"))
        known = versions.action(context.client.version, action)
        if known is not None:
            text = wire.own_envelope(uri, known, context.log.seq, None)
            context.connection.put(envelopes.action_frame(text))
        return {}

    async def _require_usable(self, context: Context, provider: str) -> None:
        _require_role(context, provider)
        needed = [r for r in registry.protected_resources(provider) if r.get("required", True)]
        missing = await self._credentials.missing(context.principal, needed)
        if missing:
            raise AuthRequired("This agent needs a token of yours", {"resources": missing})

    async def _config(
        self, context: Context, provider: str, directories: Sequence[str], given: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        log = context.log
        options = registry.options(provider, log.tenant_id)
        return await config.resolve(log.tenant_id, log.slug, directories, given, options)


async def hand_over(ask: Callable[[int, str], None], tenant_id: int, uri: str) -> None:
    """Have a Celery worker do something for a session; where the broker is away a sweep asks again."""
    try:
        await asyncio.wait_for(asyncio.to_thread(ask, tenant_id, uri), 2.0)
    except Exception as error:  # noqa: BLE001 - a broker has many ways to be away
        logger.warning("a task could not be handed over yet: %s", type(error).__name__)


async def unsubscribe(context: Context, params: Params) -> None:
    """`unsubscribe`: nothing of the channel is sent from now on, and in a session this client is active no longer."""
    uri = params["channel"]
    held = uri in context.connection.subscriptions
    context.connection.unsubscribe(uri)

    def plan(view: View) -> None:
        found = view.find(uri)
        if found is not None and found.kind == "session":
            view.act(uri, {"type": "session/activeClientRemoved", "clientId": context.client.client_id})

    if held:
        await context.log.append(plan)


async def _provider(context: Context, params: Params) -> str:
    provider: str = params.get("provider", DEFAULT_PROVIDER)
    if await registry.find(provider, context.log.tenant_id) is None:
        raise ProviderNotFound("No such agent")
    return provider


def _require_role(context: Context, provider: str) -> None:
    if not registry.role_may_use(provider, context.principal.role):
        raise PermissionDenied(f"This agent is not for the role {context.principal.role}")


def _capabilities(provider: str) -> Mapping[str, Any]:
    backend = registry.get(provider)
    return backend.info().get("capabilities", {}) if backend else {}


def _new_uri(uri: str, path: str) -> str:
    if not 0 < len(uri) <= MAX_URI or "\x00" in uri or ":" not in uri:
        raise InvalidParams(f"{path}: expected a URI of at most {MAX_URI} characters")
    return uri


def _primary(params: Params, directories: Sequence[str]) -> str | None:
    primary: str | None = params.get("primaryWorkingDirectory")
    if primary is not None and primary not in directories:
        raise InvalidParams("params.primaryWorkingDirectory: must be one of the working directories")
    return primary


def _active_client(context: Context, params: Params) -> Mapping[str, Any] | None:
    client: Mapping[str, Any] | None = params.get("activeClient")
    if client is not None and client["clientId"] != context.client.client_id:
        raise InvalidParams("params.activeClient.clientId: must be your own")
    return client
