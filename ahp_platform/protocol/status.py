"""What do the bits of a status say?

Bits 0 to 4 are one activity, of which exactly one holds; the bits above are flags, also those that we do not know.
"""

from __future__ import annotations

from typing import Final

IDLE: Final = 1
ERROR: Final = 2
IN_PROGRESS: Final = 8
INPUT_NEEDED: Final = 24
READ: Final = 32
ARCHIVED: Final = 64

_ACTIVITY: Final = 31


def activity_of(status: int) -> int:
    """The activity bits alone."""
    return status & _ACTIVITY


def with_activity(status: int, activity: int) -> int:
    """The status with another activity and the same flags."""
    return (status & ~_ACTIVITY) | activity


def with_flag(status: int, flag: int, on: bool) -> int:
    """The status with the flag set or cleared."""
    return status | flag if on else status & ~flag
