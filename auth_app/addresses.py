"""From where does the request come that is being served? For rows of the audit log that are written deep inside of it."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar

from django.http import HttpRequest

from ahp_platform.middleware import Middleware

_address: ContextVar[str] = ContextVar("address", default="")


def current() -> str:
    """The address of the client; empty outside of requests."""
    return _address.get()


class RemoteAddress(Middleware):
    """Notes it."""

    def around(self, request: HttpRequest) -> AbstractContextManager[object]:
        """Not set back: each request has a context of its own, and what streams after the answer still belongs to it."""
        _address.set(str(request.META.get("REMOTE_ADDR", "")))
        return nullcontext()
