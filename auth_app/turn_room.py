"""Is there room for the turn of a queued message? Implements `sessions_app.queue.Room`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ahp_platform.rpc.context import Context
from auth_app.limits import NONE, limits
from auth_app.quotas import RUNNING_TURNS, TOKENS, exceeded


class TurnRoom:
    """Room for turns, by the quotas."""

    def is_limited(self, tenant_id: int) -> bool:
        """By this process's copy of the limits, which is at most a second old."""
        return any(limits.of(tenant_id, name) != NONE for name in (RUNNING_TURNS, TOKENS))

    async def know(self, context: Context, chat: str, action: Mapping[str, Any]) -> None:
        """Before a message is queued: look whether the turns of its tenant are limited."""
        await limits.refresh()

    async def is_free(self, tenant_id: int, user_id: int) -> bool:
        """By what is used now."""
        return await exceeded((RUNNING_TURNS, TOKENS), tenant_id, user_id) is None
