"""What are the limits of each tenant, for code that must not wait for the database?

A copy of the rows of `Quota` in this process, read anew once a second by `message_rates.share_forever`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ahp_platform.eventlog.pool import fetch_across
from auth_app.quotas import NAMES

Pair = tuple[int | None, int | None]

_COLUMNS: Final = [column for name in NAMES for column in (name, f"{name}_per_user")]
_ROWS: Final = f"SELECT tenant_id, {', '.join(_COLUMNS)} FROM auth_app_quota"  # noqa: S608 - names of ours
NONE: Final[Pair] = (None, None)


class Limits:
    """The limits as of the last look."""

    def __init__(self) -> None:
        self._rows: Mapping[int | None, Mapping[str, Pair]] = {}

    async def refresh(self) -> None:
        """Look again."""
        self._rows = {
            tenant_id: {name: (row[2 * index], row[2 * index + 1]) for index, name in enumerate(NAMES)}
            for tenant_id, *row in await fetch_across(_ROWS, ())
        }

    def of(self, tenant_id: int, name: str) -> Pair:
        """The limit of the tenant and that of each of its users: its own row, else the one for all others."""
        row = self._rows.get(tenant_id) or self._rows.get(None)
        return row[name] if row else NONE

    def of_everybody(self, name: str) -> bool:
        """Whether tenants without a row of their own are limited."""
        return self._rows.get(None, {}).get(name, NONE) != NONE

    def tenants(self, name: str) -> list[int]:
        """The tenants whose own row limits this."""
        return [tenant for tenant, row in self._rows.items() if tenant is not None and row[name] != NONE]

    def are_any(self, name: str) -> bool:
        """Whether anybody is limited at all."""
        return any(row[name] != NONE for row in self._rows.values())


limits = Limits()
