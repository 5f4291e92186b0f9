"""Which methods do terminals have? Source: PROTOCOL.md section 9."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings

from ahp_platform.eventlog.pool import fetch
from ahp_platform.fanout import hosts
from ahp_platform.protocol.errors import InvalidParams, NotFound, PermissionDenied
from ahp_platform.rpc.context import Context
from ahp_platform.rpc.subscriptions import require_readable
from ahp_platform.rpc.table import Handler, Params, Policy
from ahp_platform.workspaces import paths
from terminals_app import terminals

SCHEME = "ahp-terminal:"
MAX_URI, MAX_NAME, MAX_SIZE = 1_000, 256, 65_535

_IN_USE = "SELECT count(*) FROM terminals_app_terminal WHERE tenant_id = %s AND state <> 'exited'"
_SESSIONS = "SELECT uri FROM sessions_app_session WHERE tenant_id = %s AND (readers IS NULL OR %s = ANY (readers))"


class TerminalMethods:
    """The handlers, with what says which channels a principal may read."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy

    def table(self) -> dict[str, Handler]:
        """Name to handler."""
        return {"createTerminal": Handler(self.create), "disposeTerminal": Handler(self.dispose)}

    async def create(self, context: Context, params: Params) -> None:
        """`createTerminal`: answers at once; a host starts the shell, and what is typed until then is not lost."""
        claim = params["claim"]
        if claim["kind"] == "session":
            await require_readable(context, self._policy, claim["session"], "session")
        elif claim["clientId"] != context.client.client_id:
            raise InvalidParams("params.claim.clientId: must be your own")
        plan, cwd = await _place(context, params, claim)
        new = terminals.NewTerminal(
            uri=_new_uri(params["channel"]), claim=claim, plan=plan, cwd=cwd, title=_name(params), size=_size(params)
        )
        await _require_room(context)
        await context.log.append(lambda view: terminals.create(view, new), user_id=context.principal.user_id)
        hosts.wake()

    async def dispose(self, context: Context, params: Params) -> None:
        """`disposeTerminal`: by whoever opened it, its holder, the members of its session, or who runs the tenant."""
        uri, who = params["channel"], context.principal
        await require_readable(context, self._policy, uri, "terminal")
        channel = context.log.peek(uri)
        claim = channel.state["claim"]
        holds = claim["kind"] == "session" or claim["clientId"] == context.client.client_id
        if not (holds or channel.opened_by == who.user_id or who.role in ("owner", "operator")):
            raise PermissionDenied("Another client holds this terminal")
        await context.log.append(lambda view: terminals.dispose(view, uri), user_id=who.user_id)


async def _place(context: Context, params: Params, claim: Params) -> tuple[terminals.Plan, str]:
    """What to run where, and the URI of that directory."""
    root = paths.root(context.log.slug)
    own = claim["session"] if claim["kind"] == "session" else None
    cwd = params.get("cwd") or await _directory_of(context, own) or root.as_uri()
    names = directory_names(root, cwd)
    owner = await owner_of(context, names)
    if owner is not None and own not in (None, owner):
        raise PermissionDenied("Outside of the permitted directories")
    return terminals.Plan(names, own or owner), cwd


def directory_names(root: Path, cwd: str) -> tuple[str, ...]:
    """The names that lead from the tenant's directory to this one; raises where they do not."""
    try:
        names = paths.names_of(root, cwd)
    except paths.NotAFileUri:
        raise InvalidParams("params.cwd: expected a file: URI") from None
    except paths.LeadsOut:
        raise PermissionDenied("Outside of the permitted directories") from None
    if ".." in names:
        raise PermissionDenied("Outside of the permitted directories")
    return names


async def owner_of(context: Context, names: tuple[str, ...]) -> str | None:
    """The session whose own directory this is in, None where it is the tenant's; raises where it is not for the principal."""
    if not names or names[0] not in paths.OWN_DIRECTORIES:
        return None
    who = context.principal
    for (uri,) in await fetch(_SESSIONS, (who.tenant_id, who.user_id), tenant=who.tenant_id):
        if paths.own_directory_name(uri) in names[1:2]:
            return str(uri)
    raise PermissionDenied("Outside of the permitted directories")


async def _directory_of(context: Context, session: str | None) -> str | None:
    if session is None:
        return None
    try:
        directories: list[str] = (await context.log.state(session)).get("workingDirectories", [])
    except NotFound:
        return None
    return directories[0] if directories else None


async def _require_room(context: Context) -> None:
    ((used,),) = await fetch(_IN_USE, (context.log.tenant_id,), tenant=context.log.tenant_id)
    if used >= settings.AHP_MAX_TERMINALS:
        raise PermissionDenied(f"This tenant has {used} terminals open already; close one first")


def _new_uri(uri: str) -> str:
    if not uri.startswith(SCHEME) or len(uri) > MAX_URI or "\x00" in uri:
        raise InvalidParams(f"params.channel: expected a URI {SCHEME}/… of at most {MAX_URI} characters")
    return uri


def _name(params: Params) -> str:
    name: str = params.get("name", "").replace("\x00", "")
    return name[:MAX_NAME] or "Terminal"


def _size(params: Params) -> tuple[int, int]:
    cols, rows = params.get("cols", 80), params.get("rows", 24)
    for name, value in (("cols", cols), ("rows", rows)):
        if not _fits(value):
            raise InvalidParams(f"params.{name}: expected a number from 1 to {MAX_SIZE}")
    return int(cols), int(rows)


def _fits(value: Any) -> bool:
    return bool(1 <= value <= MAX_SIZE and value == int(value))
