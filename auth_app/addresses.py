"""From where does the request come that is being served? For rows of the audit log that are written deep inside of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextvars import ContextVar

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.http import HttpRequest
from django.http.response import HttpResponseBase

_address: ContextVar[str] = ContextVar("address", default="")

Handler = Callable[[HttpRequest], HttpResponseBase | Awaitable[HttpResponseBase]]


def current() -> str:
    """The address of the client; empty outside of requests."""
    return _address.get()


class RemoteAddress:
    """Middleware for both colours, so that async views stay async."""

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: Handler) -> None:
        self._get_response = get_response
        if iscoroutinefunction(get_response):
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        # Not set back: each request has a context of its own, and what streams after the answer still belongs to it.
        _address.set(str(request.META.get("REMOTE_ADDR", "")))
        return self._get_response(request)
