"""How many bytes does a tenant keep here, and is there room for more?

Contents that sessions show are counted exactly, where they lie. Files in workspaces grow behind our back, by shells and agents:
host processes measure those of limited tenants every half minute, what `resourceWrite` adds is noted at once, and nobody is
refused before his tenant's files were measured anew.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from ahp_platform.eventlog.pool import fetch, fetch_across
from ahp_platform.rpc.context import Context
from ahp_platform.rpc.table import Handler, Params
from ahp_platform.workspaces import paths
from auth_app.limits import NONE, limits
from auth_app.quotas import BYTES, exceeded, limits_now, require_for

logger = logging.getLogger(__name__)

EVERY_S = 30.0
LOOK_EVERY_S = 5.0
# A measure that is older is not believed; whoever would be refused is measured anew, but not again and again.
STALE_S = 60.0
ANEW_AFTER_S = 3.0
SHARED = 0

_OWNERS = """
SELECT left(encode(sha256(convert_to(uri, 'UTF8')), 'hex'), 20), owner_id FROM sessions_app_session WHERE tenant_id = %s
"""
# Whoever gets the row measures; the others find it fresh.
_CLAIM = """
INSERT INTO auth_app_workspacebytes AS known (tenant_id, user_id, bytes, measured_at) VALUES (%s, 0, 0, now())
ON CONFLICT (tenant_id, user_id) DO UPDATE SET measured_at = now()
WHERE known.measured_at < now() - make_interval(secs => %s) RETURNING user_id
"""
_MEASURED = """
WITH gone AS (DELETE FROM auth_app_workspacebytes WHERE tenant_id = %(tenant)s AND user_id <> ALL(%(users)s::int[]))
INSERT INTO auth_app_workspacebytes (tenant_id, user_id, bytes, measured_at)
SELECT %(tenant)s, m.*, now() FROM unnest(%(users)s::int[], %(bytes)s::int8[]) AS m
ON CONFLICT (tenant_id, user_id) DO UPDATE SET bytes = excluded.bytes, measured_at = now() RETURNING user_id
"""
_MORE = """
INSERT INTO auth_app_workspacebytes AS known (tenant_id, user_id, bytes, measured_at) VALUES (%s, %s, %s, 'epoch')
ON CONFLICT (tenant_id, user_id) DO UPDATE SET bytes = known.bytes + excluded.bytes RETURNING user_id
"""
_OUTDATED = """
UPDATE auth_app_workspacebytes SET measured_at = 'epoch' WHERE tenant_id = %s AND user_id = 0 RETURNING user_id
"""
_SLUGS = "SELECT id, slug FROM auth_app_tenant WHERE is_active AND (%s OR id = ANY(%s))"
_SLUG = "SELECT slug FROM auth_app_tenant WHERE id = %s"


async def may_store(tenant_id: int, user_id: int, size: int) -> bool:
    """Raise where there is no room for so many bytes more of this user; else, whether there is a limit at all."""
    row = await limits_now([BYTES], tenant_id)
    if row is None or row == NONE:
        return False
    ((slug,),) = await fetch(_SLUG, (tenant_id,), tenant=tenant_id)
    await measure(tenant_id, slug, STALE_S)
    if await exceeded([BYTES], tenant_id, user_id, size) is not None:
        await measure(tenant_id, slug, ANEW_AFTER_S)
        await require_for(tenant_id, user_id, BYTES, more=size)
    return True


def storing(handler: Handler) -> Handler:
    """A handler that makes files grow, called only while there is room."""

    async def call(context: Context, params: Params) -> object:
        who = context.principal.tenant_id, context.principal.user_id
        size = _size(params)
        is_limited = await may_store(*who, max(1, size))
        result = await handler.call(context, params)
        if size and is_limited:
            await fetch(_MORE, (*who, size), tenant=who[0])
        return result

    return Handler(call, handler.ordered)


def freeing(handler: Handler) -> Handler:
    """A handler that makes room: what was measured before counts no longer."""

    async def call(context: Context, params: Params) -> object:
        result = await handler.call(context, params)
        tenant_id = context.principal.tenant_id
        await fetch(_OUTDATED, (tenant_id,), tenant=tenant_id)
        return result

    return Handler(call, handler.ordered)


async def measure(tenant_id: int, slug: str, not_within_s: float) -> None:
    """Measure the tenant's workspaces, unless that was done just now."""
    if not await fetch(_CLAIM, (tenant_id, not_within_s), tenant=tenant_id):
        return
    owners: dict[str, int] = dict(await fetch(_OWNERS, (tenant_id,), tenant=tenant_id))
    found = await asyncio.to_thread(_measured, paths.root(slug), owners)
    users = [SHARED, *(user for user in found if user != SHARED)]
    row = {"tenant": tenant_id, "users": users, "bytes": [found[user] for user in users]}
    await fetch(_MEASURED, row, tenant=tenant_id)


async def measure_forever() -> None:
    """Keep the measures of all tenants fresh whose bytes are limited."""
    while True:
        try:
            for tenant_id, slug in await fetch_across(_SLUGS, (limits.of_everybody(BYTES), limits.tenants(BYTES))):
                await measure(tenant_id, slug, EVERY_S)
        except Exception as error:  # noqa: BLE001 - whatever it is, the next round tries again
            logger.warning("workspaces could not be measured: %s", type(error).__name__)
        await asyncio.sleep(LOOK_EVERY_S)


def _size(params: Params) -> int:
    """The bytes that a `resourceWrite` brings; 0 where that is not known (a copy)."""
    data = params.get("data")
    if not isinstance(data, str):
        return 0
    return len(data) * 3 // 4 if params.get("encoding") == "base64" else len(data.encode(errors="replace"))


def _measured(root: Path, owners: Mapping[str, int]) -> Counter[int]:
    """The bytes below the tenant's directory, by the user to whose sessions they belong."""
    found: Counter[int] = Counter()
    own = [root / name for name in paths.OWN_DIRECTORIES]
    for folder in own:
        for name in _names(folder):
            found[owners.get(name, SHARED)] += sum(_sizes(folder / name))
    found[SHARED] += sum(_sizes(root, skipped=own))
    return found


def _names(folder: Path) -> list[str]:
    try:
        return [path.name for path in folder.iterdir()]
    except OSError:
        return []


def _sizes(folder: Path, skipped: list[Path] | None = None) -> Iterator[int]:
    """The size of each file, once however many names it has. Links are not followed; what cannot be read counts nothing."""
    seen: set[tuple[int, int]] = set()
    waiting, leave_out = [str(folder)], {str(path) for path in skipped or ()}
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        waiting += [entry.path] if entry.path not in leave_out else []
                        continue
                    status = entry.stat(follow_symlinks=False)
                    if status.st_nlink == 1 or (status.st_dev, status.st_ino) not in seen:
                        seen |= {(status.st_dev, status.st_ino)} if status.st_nlink > 1 else set()
                        yield status.st_size
        except OSError:
            continue
