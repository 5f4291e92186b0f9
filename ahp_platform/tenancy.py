"""Which tenant does this code act for, and how is a query kept inside it?

Owns the scope of a context and the manager that every tenant table uses. A query made through `objects` outside of a
`tenant_scope` raises instead of silently returning every tenant's rows; `unscoped` is for the admin site and sweepers, and says so
at the place where it is used. PostgreSQL repeats the fence: the service connects under a role that sees the rows of the scope's tenant
alone, and no row of any without one (`row_security`). Source: DESIGN.md section 6.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Final, TypeVar

from django.db import models

# A tenant's id, or one of the words below.
Scope = int | str
# All tenants: for what operators do, and what nobody in particular asked for.
ACROSS: Final = "across"
# No tenant's rows.
NOBODY: Final = "nobody"
# Whatever the role may see that the process logged in as: all that there is for the owner of the tables, for the service nobody's rows.
AS_CONNECTED: Final = "as connected"

_current: ContextVar[Scope] = ContextVar("tenant_scope", default=AS_CONNECTED)

Row = TypeVar("Row", bound=models.Model)


class UnscopedQuery(RuntimeError):
    """A tenant table was queried without saying for which tenant."""


def current() -> Scope:
    """The scope of the running code."""
    return _current.get()


def tenant_scope(tenant_id: int) -> AbstractContextManager[None]:
    """Make `tenant_id` the tenant of every query made inside."""
    return _scope(tenant_id)


def across_tenants() -> AbstractContextManager[None]:
    """Queries inside may see and write the rows of every tenant."""
    return _scope(ACROSS)


def no_tenant() -> AbstractContextManager[None]:
    """Queries inside see no tenant's rows."""
    return _scope(NOBODY)


@contextmanager
def _scope(scope: Scope) -> Iterator[None]:
    token = _current.set(scope)
    try:
        yield
    finally:
        _current.reset(token)


class TenantManager(models.Manager[Row]):
    """Rows of the current tenant only; raises `UnscopedQuery` where there is none."""

    def get_queryset(self) -> models.QuerySet[Row]:
        """Every query of the manager starts here, so none escapes the filter."""
        tenant_id = _current.get()
        if not isinstance(tenant_id, int):
            raise UnscopedQuery(f"{self.model.__name__} was queried outside of a tenant_scope")
        return super().get_queryset().filter(tenant_id=tenant_id)
