"""Which tenant does this code act for, and how is a query kept inside it?

Owns the current tenant of a context and the manager that every tenant table uses. A query made through `objects`
outside of a `tenant_scope` raises instead of silently returning every tenant's rows; `unscoped` is for the admin site
and sweepers, and says so at the place where it is used. Source: DESIGN.md section 6.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from django.db import models

_current: ContextVar[int | None] = ContextVar("tenant_id", default=None)

Row = TypeVar("Row", bound=models.Model)


class UnscopedQuery(RuntimeError):
    """A tenant table was queried without saying for which tenant."""


@contextmanager
def tenant_scope(tenant_id: int) -> Iterator[None]:
    """Make `tenant_id` the tenant of every query made inside."""
    token = _current.set(tenant_id)
    try:
        yield
    finally:
        _current.reset(token)


class TenantManager(models.Manager[Row]):
    """Rows of the current tenant only; raises `UnscopedQuery` where there is none."""

    def get_queryset(self) -> models.QuerySet[Row]:
        """Every query of the manager starts here, so none escapes the filter."""
        tenant_id = _current.get()
        if tenant_id is None:
            raise UnscopedQuery(f"{self.model.__name__} was queried outside of a tenant_scope")
        return super().get_queryset().filter(tenant_id=tenant_id)
