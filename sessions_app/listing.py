"""How is the catalogue of sessions paged?

By keyset: a cursor names the last row of its page, so that pages stay stable while rows move. One query a page, and
the summaries are sent as they are stored. Source: PROTOCOL.md section 6.
"""

from __future__ import annotations

import base64
import binascii
from typing import Any

import msgspec

from ahp_platform.eventlog.pool import fetch
from ahp_platform.protocol.errors import InvalidParams

# Clients in circulation ignore `nextCursor` (PROTOCOL.md section 16).
DEFAULT_LIMIT = 1_000

# No session is modified after the year 5138; far beyond it the database knows no moments at all.
BEYOND_TIME_MS = 10**14

_PAGE = """
SELECT summary, uri, (extract(epoch FROM modified_at) * 1000)::int8 FROM sessions_app_session
WHERE tenant_id = %(tenant)s AND (readers IS NULL OR %(user)s = ANY(readers))
    AND (%(uri)s::text IS NULL OR (modified_at, uri) < (to_timestamp(%(ms)s / 1000.0), %(uri)s))
ORDER BY modified_at DESC, uri DESC LIMIT %(limit)s
"""


async def page(tenant_id: int, user_id: int, limit: float | None, cursor: str | None) -> dict[str, Any]:
    """The `ListSessionsResult`, most recently modified first."""
    count = DEFAULT_LIMIT if limit is None else int(limit)
    if not count > 0:
        raise InvalidParams("params.limit: expected a positive number")
    count = min(count, DEFAULT_LIMIT)
    modified_ms, uri = _position(cursor) if cursor is not None else (0, None)
    params = {"tenant": tenant_id, "user": user_id, "ms": modified_ms, "uri": uri, "limit": count + 1}
    rows = await fetch(_PAGE, params, tenant=tenant_id)
    items = msgspec.Raw(("[" + ",".join(row[0] for row in rows[:count]) + "]").encode())
    result: dict[str, Any] = {"items": items}
    if len(rows) > count:
        _, last_uri, last_ms = rows[count - 1]
        result["nextCursor"] = base64.urlsafe_b64encode(f"{last_ms}:{last_uri}".encode()).decode()
    return result


def _position(cursor: str) -> tuple[int, str]:
    try:
        text = base64.b64decode(cursor, altchars=b"-_", validate=True).decode()
        modified_ms, _, uri = text.partition(":")
        if not uri or "\x00" in uri or not 0 <= int(modified_ms) < BEYOND_TIME_MS:
            raise ValueError
        return int(modified_ms), uri
    except (binascii.Error, ValueError):
        raise InvalidParams("params.cursor: not a cursor of ours") from None
