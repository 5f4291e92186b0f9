"""How are moments written on the wire?"""

from __future__ import annotations

from datetime import UTC, datetime


def iso(now_ms: int) -> str:
    """Milliseconds since the epoch as the protocol's ISO 8601 text."""
    return datetime.fromtimestamp(now_ms / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def elapsed_ms(started_at: str, now_ms: int) -> int:
    """Milliseconds from an ISO 8601 moment to now; 0 where the text is no moment (clients choose it)."""
    try:
        started = datetime.fromisoformat(started_at)
    except ValueError:
        return 0
    if started.tzinfo is None:
        started = started.replace(tzinfo=UTC)
    return max(0, now_ms - int(started.timestamp() * 1000))
