"""How much may a tenant and a user use, how much do they use, and is there room for more?

The limits are rows of `Quota`: a tenant's own, else the one without a tenant, else none. What is used is counted where it
lies, at the moment when more is wanted; two who ask at the very same moment may both get the last of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ahp_platform.eventlog.gathered import Gathered
from ahp_platform.eventlog.pool import fetch
from ahp_platform.eventlog.view import Refused, View
from ahp_platform.protocol.errors import InvalidRequest
from ahp_platform.rpc.context import Context
from ahp_platform.rpc.table import Handler, Intake, Params

SOCKETS, SESSIONS, RUNNING_TURNS, TOKENS = "sockets", "sessions", "running_turns", "tokens_per_day"
TERMINALS, BYTES, MESSAGES = "terminals", "bytes_stored", "messages_per_second"

_LIMITS = """
SELECT {columns} FROM auth_app_quota WHERE tenant_id = %s OR tenant_id IS NULL ORDER BY tenant_id LIMIT 1
"""
# How much the tenant uses, and how much of it the user.
USED: Final[Mapping[str, str]] = {
    SOCKETS: """
        SELECT count(*), count(*) FILTER (WHERE user_id = %(user)s) FROM auth_app_opensocket WHERE tenant_id = %(tenant)s
    """,
    SESSIONS: """
        SELECT count(*), count(*) FILTER (WHERE owner_id = %(user)s) FROM sessions_app_session WHERE tenant_id = %(tenant)s
    """,
    RUNNING_TURNS: """
        SELECT count(*), count(*) FILTER (WHERE user_id = %(user)s) FROM agents_turn
        WHERE tenant_id = %(tenant)s AND state IN ('waiting', 'running')
    """,
    TOKENS: """
        SELECT coalesce(sum(input_tokens + output_tokens), 0)::int8,
            coalesce(sum(input_tokens + output_tokens) FILTER (WHERE user_id = %(user)s), 0)::int8
        FROM agents_turn WHERE tenant_id = %(tenant)s AND created_at > now() - interval '1 day'
    """,
    TERMINALS: """
        SELECT count(*), count(*) FILTER (WHERE user_id = %(user)s) FROM terminals_app_terminal
        WHERE tenant_id = %(tenant)s AND state <> 'exited'
    """,
    BYTES: """
        SELECT (
            (SELECT coalesce(sum(bytes), 0) FROM auth_app_workspacebytes WHERE tenant_id = %(tenant)s)
            + (SELECT coalesce(sum(size), 0) FROM changesets_app_content WHERE tenant_id = %(tenant)s)
        )::int8, (
            (SELECT coalesce(sum(bytes), 0) FROM auth_app_workspacebytes
                WHERE tenant_id = %(tenant)s AND user_id = %(user)s)
            + (SELECT coalesce(sum(size), 0) FROM changesets_app_content c WHERE c.tenant_id = %(tenant)s AND EXISTS (
                SELECT FROM changesets_app_contentuse u
                JOIN sessions_app_session s ON s.tenant_id = u.tenant_id AND s.uri = u.session
                WHERE u.tenant_id = c.tenant_id AND u.sha256 = c.sha256 AND s.owner_id = %(user)s
            ))
        )::int8
    """,
}
# Every quota; messages are counted in memory (`message_rates.py`), the others by the statements above.
NAMES: Final = (*USED, MESSAGES)


@dataclass(frozen=True, slots=True)
class Exceeded:
    """A quota that has no room for one more. `per` says whose it is: `tenant` or `user`."""

    name: str
    per: str
    limit: int
    used: int

    def __str__(self) -> str:
        whose = "your organisation" if self.per == "tenant" else "one person"
        return f"The quota of {self.name.replace('_', ' ')} for {whose} is used up ({self.used} of {self.limit})"

    def data(self) -> dict[str, Any]:
        """What an error carries."""
        return {"quota": {"name": self.name, "per": self.per, "limit": self.limit, "used": self.used}}


async def exceeded(names: Sequence[str], tenant_id: int, user_id: int, more: int = 1) -> Exceeded | None:
    """The first of these quotas that has no room for so much more of this user in this tenant, if there is one."""
    row = await limits_now(names, tenant_id)
    for index, name in enumerate(names if row else ()):
        limits = (row or ())[2 * index : 2 * index + 2]
        if limits == (None, None):
            continue
        used = await usage(name, tenant_id, user_id)
        for per, limit, amount in zip(("tenant", "user"), limits, used, strict=True):
            if limit is not None and amount + more > limit:
                return Exceeded(name, per, limit, amount)
    return None


async def limits_now(names: Sequence[str], tenant_id: int) -> tuple[int | None, ...] | None:
    """The limits of a tenant and of each of its users, in turn for each name; None where it has no row at all."""
    columns = ", ".join(f"{name}, {name}_per_user" for name in names)
    return await _limits((tenant_id, columns))


async def _limits_of(asked: Sequence[tuple[int, str]]) -> dict[tuple[int, str], tuple[int | None, ...]]:
    """These columns of these tenants' rows; in a storm it is the same few over and over."""
    found = {}
    for tenant_id, columns in asked:
        for row in await fetch(_LIMITS.format(columns=columns), (tenant_id,), tenant=tenant_id):
            found[tenant_id, columns] = row
    return found


_limits = Gathered(_limits_of)


async def usage(name: str, tenant_id: int, user_id: int | None = None) -> tuple[int, int]:
    """How much the tenant uses now, and how much of it the user."""
    ((tenants, users),) = await fetch(USED[name], {"tenant": tenant_id, "user": user_id}, tenant=tenant_id)
    return tenants, users


async def require(context: Context, *names: str) -> None:
    """Raise where there is no room for one more."""
    await require_for(context.principal.tenant_id, context.principal.user_id, *names)


async def require_for(tenant_id: int, user_id: int, *names: str, more: int = 1) -> None:
    """Raise where there is no room for so much more of this user."""
    found = await exceeded(names, tenant_id, user_id, more)
    if found is not None:
        raise InvalidRequest(str(found), found.data())


async def require_terminal(tenant_id: int, user_id: int | None) -> None:
    """Raise where there is no room for a terminal that an agent opens for this user."""
    await require_for(tenant_id, user_id or 0, TERMINALS)


def limited(name: str, handler: Handler) -> Handler:
    """The handler, called only while there is room."""

    async def call(context: Context, params: Params) -> object:
        await require(context, name)
        return await handler.call(context, params)

    return Handler(call, handler.ordered)


def first_turn_limited(handler: Handler) -> Handler:
    """`createChat`, which with an initial message starts a turn: refused, chat and all, where that has no room."""

    async def call(context: Context, params: Params) -> object:
        if "initialMessage" in params:
            await require(context, RUNNING_TURNS, TOKENS)
        return await handler.call(context, params)

    return Handler(call, handler.ordered)


class TurnQuotas:
    """Before a turn starts: what is used is looked up by `know`, since the plan that `intake` is part of must not wait."""

    def __init__(self) -> None:
        self._exceeded: dict[tuple[int, int], Exceeded] = {}

    async def know(self, context: Context, chat: str, action: Mapping[str, Any]) -> None:
        """Look whether there is room for a turn of this user."""
        who = context.principal.tenant_id, context.principal.user_id
        found = await exceeded((RUNNING_TURNS, TOKENS), *who)
        if found is None:
            self._exceeded.pop(who, None)
        else:
            self._exceeded[who] = found

    def intake(self, then: Intake) -> Intake:
        """Refuse the turn where there was none."""

        def judged(view: View, chat: str, action: dict[str, Any], context: Context) -> dict[str, Any]:
            found = self._exceeded.get((context.principal.tenant_id, context.principal.user_id))
            if found is not None:
                raise Refused(str(found))
            return then(view, chat, action, context)

        return judged
