"""Is there room for more bytes of a user? Asked of whoever counts them, which the wiring hands in."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

# Tenant, user, bytes that are to be added: raises where they are too many; else, whether anybody counts them at all.
MayStore = Callable[[int, int, int], Awaitable[bool]]


async def _without_limit(tenant_id: int, user_id: int, size: int) -> bool:
    """Nobody counts."""
    return False


_asked: list[MayStore] = [_without_limit]


def configure(may_store: MayStore) -> None:
    """Ask this from now on."""
    _asked[:] = [may_store]


async def require(tenant_id: int, user_id: int, size: int) -> bool:
    """Raise where there is no room for so many bytes more; else, whether there is a limit at all."""
    return await _asked[0](tenant_id, user_id, size)
