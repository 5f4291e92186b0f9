"""From which pages may a browser open a socket here?

A browser sends the cookie along whoever asks, and the same-origin policy does not hold for sockets: so a cookie counts
only from our own pages and those named in AHP_TRUSTED_ORIGINS. A token must have been given to the page, so by default
it counts from any; AHP_TOKEN_ORIGINS may narrow that. Programs that are no browsers send no Origin.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from django.conf import settings
from django.http.request import split_domain_port, validate_host


def allows_cookie(origin: str | None, host: str) -> bool:
    """Whether a cookie counts that came with this Origin header to this Host."""
    return origin is not None and (_is_own(origin, host) or origin in settings.CSRF_TRUSTED_ORIGINS)


def allows_token(origin: str | None, host: str) -> bool:
    """Whether a token counts that came with this Origin header to this Host."""
    allowed = settings.AHP_TOKEN_ORIGINS
    return origin is None or "*" in allowed or origin in allowed or allows_cookie(origin, host)


def _is_own(origin: str, host: str) -> bool:
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    domain, _ = split_domain_port(host)
    schemes = {"https"} if settings.AHP_HTTPS else {"http", "https"}
    same = parts.scheme in schemes and parts.netloc.lower() == host.lower()
    # The Host header is the browser's word too: one that is not ours would let a rebound name pass for us.
    return same and validate_host(domain, settings.ALLOWED_HOSTS)
