"""Which users are meant by the names of a session's members?

Plans must not wait, so names are looked up before an action that may need them is submitted, and kept by this process.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ahp_platform.eventlog.pool import fetch
from ahp_platform.eventlog.view import Readers, Refused
from ahp_platform.protocol.errors import InvalidParams, NotFound
from ahp_platform.rpc.context import Context
from sessions_app.sight import PRIVATE

MAX_MEMBERS = 500
MAX_COMPLETIONS = 50

_NAMED = """
SELECT u.username, u.id FROM auth_app_membership m JOIN auth_user u ON u.id = m.user_id
WHERE m.tenant_id = %s AND u.username = ANY(%s)
"""
_CONTAINING = """
SELECT u.username, trim(concat_ws(' ', u.first_name, u.last_name)) FROM auth_app_membership m
JOIN auth_user u ON u.id = m.user_id
WHERE m.tenant_id = %s AND u.is_active AND strpos(lower(concat_ws(' ', u.username, u.first_name, u.last_name)), lower(%s)) > 0
ORDER BY u.username LIMIT %s
"""

_known: dict[tuple[int, str], int] = {}


async def know(tenant_id: int, names: Iterable[object]) -> None:
    """Look these names up, so that plans may ask for them."""
    wanted = [name for name in names if isinstance(name, str) and "\x00" not in name][: 2 * MAX_MEMBERS]
    if wanted:
        found = await fetch(_NAMED, (tenant_id, wanted), tenant=tenant_id)
        for name in wanted:
            _known.pop((tenant_id, name), None)
        _known.update({(tenant_id, name): user_id for name, user_id in found})


async def know_members(context: Context, session: str, action: Mapping[str, Any]) -> None:
    """Before a change of a session's configuration: everybody whom it names now or will name."""
    try:
        values = (await context.log.state(session)).get("config", {}).get("values", {})
    except NotFound:
        return
    given = action.get("config")
    wanted = given.get("members") if isinstance(given, Mapping) else None
    await know(context.log.tenant_id, [*values.get("members", ()), *(wanted if isinstance(wanted, list) else ())])


async def require_members(tenant_id: int, names: object) -> None:
    """Before a session is born: raise where somebody named is no member of the tenant."""
    if not isinstance(names, list) or len(names) > MAX_MEMBERS:
        raise InvalidParams(f"params.config.members: expected at most {MAX_MEMBERS} user names")
    await know(tenant_id, names)
    if any(not isinstance(name, str) or (tenant_id, name) not in _known for name in names):
        raise InvalidParams("params.config.members: not all of them are members of this organisation")


async def completions(tenant_id: int, query: str) -> list[dict[str, str]]:
    """The members of the tenant whose name contains the query."""
    found = await fetch(_CONTAINING, (tenant_id, query.replace("\x00", ""), MAX_COMPLETIONS), tenant=tenant_id)
    return [{"value": name, "label": full or name} for name, full in found]


def readers(tenant_id: int, owner_id: int | None, values: Mapping[str, Any]) -> Readers:
    """Who may read a session with this configuration: everybody (None), or its owner and the members that it names.

    Raises `Refused` for a name that is not known.
    """
    if values.get("visibility") != PRIVATE or owner_id is None:
        return None
    return sorted({owner_id, *_ids(tenant_id, values.get("members", ()))})


def _ids(tenant_id: int, names: Sequence[str]) -> list[int]:
    try:
        return [_known[tenant_id, name] for name in names]
    except KeyError as unknown:
        raise Refused(f"There is no member {unknown.args[0][1]} in this organisation") from None
