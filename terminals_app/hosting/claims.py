"""What does a host get when it claims a terminal, and which terminals can nobody use any more?

Claims, leases and fences are those of `ahp_platform.leases`. Source: DESIGN.md section 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple
from uuid import UUID

import msgspec

from ahp_platform.eventlog.pool import fetch, fetch_across
from ahp_platform.leases.rows import Lease, LeasedRows
from terminals_app.terminals import Plan

# Terminals whose session is gone, or whose holder is not among the members who may use terminals any more.
FORSAKEN = """
SELECT t.tenant_id, t.uri FROM terminals_app_terminal t WHERE t.session IS NOT NULL AND NOT EXISTS (
    SELECT FROM eventlog_channel c WHERE c.tenant_id = t.tenant_id AND c.uri = t.session
) UNION ALL
SELECT t.tenant_id, t.uri FROM terminals_app_terminal t WHERE t.session IS NULL AND NOT EXISTS (
    SELECT FROM auth_app_membership m JOIN auth_user u ON u.id = m.user_id AND u.is_active
    JOIN auth_app_tenant o ON o.id = m.tenant_id AND o.is_active
    WHERE m.tenant_id = t.tenant_id AND m.user_id = t.user_id AND m.role <> 'viewer'
) LIMIT 200
"""

NETWORK = "SELECT coalesce((settings ->> 'network')::bool, false) FROM auth_app_tenant WHERE id = %s"


class Claim(NamedTuple):
    """A terminal that this host holds."""

    lease: Lease
    tenant_id: int
    uri: str
    plan: Plan
    marker: UUID


def _claim(lease: Lease, row: Sequence[Any]) -> Claim:
    tenant_id, uri, plan, marker = row
    return Claim(lease, tenant_id, uri, msgspec.json.decode(plan, type=Plan), marker)


TERMINALS: LeasedRows[Claim] = LeasedRows("terminals_app_terminal", "t.tenant_id, t.uri, t.plan, t.marker", _claim)


async def forsaken() -> list[tuple[int, str]]:
    """Tenant and URI of terminals that nobody can use any more."""
    return [(tenant_id, uri) for tenant_id, uri in await fetch_across(FORSAKEN, ())]


async def has_network(tenant_id: int) -> bool:
    """Whether the tenant's settings let its shells into the network."""
    rows = await fetch(NETWORK, (tenant_id,), tenant=tenant_id)
    return bool(rows and rows[0][0])
