"""How does something of ours stand around every request, whichever colour its view has?"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, nullcontext

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.http import HttpRequest
from django.http.response import HttpResponseBase

Handler = Callable[[HttpRequest], HttpResponseBase | Awaitable[HttpResponseBase]]


class Middleware:
    """Middleware of Django's for both colours, so that async views stay async. Subclasses say what is done around and afterwards."""

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: Handler) -> None:
        self._get_response = get_response
        if iscoroutinefunction(get_response):
            markcoroutinefunction(self)

    def around(self, request: HttpRequest) -> AbstractContextManager[object]:
        """Entered before the view, left when it has answered."""
        return nullcontext()

    def answered(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """The answer to give."""
        return response

    def __call__(self, request: HttpRequest) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        if iscoroutinefunction(self._get_response):
            return self._later(request)
        with self.around(request):
            response = self._get_response(request)
        assert isinstance(response, HttpResponseBase)
        return self.answered(request, response)

    async def _later(self, request: HttpRequest) -> HttpResponseBase:
        with self.around(request):
            response = self._get_response(request)
            assert not isinstance(response, HttpResponseBase)
            answer = await response
        return self.answered(request, answer)
