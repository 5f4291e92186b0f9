"""Whose rows may a page of ours see?

Nobody's, unless its view names a tenant (`tenant_scope`). The pages of operators, and those where people show who they are and which
tenants are theirs, look across: there the tenant is the question, not the premise.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from ahp_platform.tenancy import across_tenants, no_tenant

ACROSS = ("/admin/", "/o/", "/.well-known/", "/login/", "/logout/", "/invitation/", "/api/me")

Handler = Callable[[HttpRequest], HttpResponseBase | Awaitable[HttpResponseBase]]


class RequestScope:
    """Middleware for both colours."""

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: Handler) -> None:
        self._get_response = get_response
        if iscoroutinefunction(get_response):
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        if iscoroutinefunction(self._get_response):
            return self._later(request)
        with across_tenants() if request.path.startswith(ACROSS) else no_tenant():
            response = self._get_response(request)
        assert isinstance(response, HttpResponseBase)
        return response

    async def _later(self, request: HttpRequest) -> HttpResponseBase:
        with across_tenants() if request.path.startswith(ACROSS) else no_tenant():
            response = self._get_response(request)
            assert not isinstance(response, HttpResponseBase)
            return await response
