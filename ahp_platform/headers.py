"""What may a page of ours load? A content security policy on every response, wider only where a library's pages need it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.http import HttpRequest
from django.http.response import HttpResponseBase

STRICT = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
# The admin's and the API pages' own scripts are inline and evaluate expressions; they still load from here alone.
LIBRARY_PAGES = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; worker-src 'self' blob:; base-uri 'none'; frame-ancestors 'none'"
)
WIDER = ("/admin/", "/api/schema/")

Handler = Callable[[HttpRequest], HttpResponseBase | Awaitable[HttpResponseBase]]


class SecurityHeaders:
    """Middleware for both colours, so that async views stay async."""

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: Handler) -> None:
        self._get_response = get_response
        if iscoroutinefunction(get_response):
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        response = self._get_response(request)
        if isinstance(response, HttpResponseBase):
            return _secured(request, response)
        return self._later(request, response)

    async def _later(self, request: HttpRequest, response: Awaitable[HttpResponseBase]) -> HttpResponseBase:
        return _secured(request, await response)


def _secured(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    policy = LIBRARY_PAGES if request.path.startswith(WIDER) else STRICT
    response.headers.setdefault("Content-Security-Policy", policy)
    response.headers.setdefault("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
    return response
