"""What may a page of ours load? A content security policy on every response, wider only where a library's pages need it."""

from __future__ import annotations

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from ahp_platform.middleware import Middleware

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


class SecurityHeaders(Middleware):
    """Puts them on."""

    def answered(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """See `Middleware`."""
        policy = LIBRARY_PAGES if request.path.startswith(WIDER) else STRICT
        response.headers.setdefault("Content-Security-Policy", policy)
        response.headers.setdefault("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
        return response
