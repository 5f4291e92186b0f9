"""Whose rows may a page of ours see?

Nobody's, unless its view names a tenant (`tenant_scope`). The pages of operators, and those where people show who they are and which
tenants are theirs, look across: there the tenant is the question, not the premise.
"""

from __future__ import annotations

from contextlib import AbstractContextManager

from django.http import HttpRequest

from ahp_platform.middleware import Middleware
from ahp_platform.tenancy import across_tenants, no_tenant

ACROSS = ("/admin/", "/o/", "/.well-known/", "/login/", "/logout/", "/invitation/", "/api/me")


class RequestScope(Middleware):
    """Sets the scope in which the view runs."""

    def around(self, request: HttpRequest) -> AbstractContextManager[None]:
        """See `Middleware`."""
        return across_tenants() if request.path.startswith(ACROSS) else no_tenant()
