"""What does a host get when it claims a turn, and how is the row of a turn closed that its chat no longer has?

Claims, leases and fences are those of `ahp_platform.leases`. Source: DESIGN.md section 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ahp_platform.agents.turns import TurnKey
from ahp_platform.eventlog.pool import connection_across
from ahp_platform.leases.rows import Lease, LeasedRows

CLOSE = """
UPDATE agents_turn SET state = %s, ended_at = now(), host = NULL, lease_until = NULL
WHERE id = %s AND fence = %s AND state IN ('waiting', 'running')
"""


class Claim(NamedTuple):
    """A turn that this host holds. `age_ms` is the time since it was accepted, at the moment of the claim."""

    lease: Lease
    key: TurnKey
    session: str
    provider: str
    user_id: int | None
    age_ms: int

    @property
    def tenant_id(self) -> int:
        """Whose it is."""
        return self.key.tenant_id


def _claim(lease: Lease, row: Sequence[Any]) -> Claim:
    tenant_id, chat, turn_id, session, provider, user_id, age_ms = row
    return Claim(lease, TurnKey(tenant_id, chat, turn_id), session, provider, user_id, age_ms)


AGE_MS = "(extract(epoch FROM clock_timestamp() - t.created_at) * 1000)::int8"
TURNS: LeasedRows[Claim] = LeasedRows(
    "agents_turn",
    f"t.tenant_id, t.chat, t.turn_id, t.session, t.provider, t.user_id, {AGE_MS}",
    _claim,
    started="started_at",
)


async def close(lease: Lease, state: str) -> None:
    """End the row of a turn that its chat no longer has; nothing happens where the row has ended or was claimed again."""
    async with connection_across() as conn:
        await conn.execute(CLOSE, (state, lease.id, lease.fence))
