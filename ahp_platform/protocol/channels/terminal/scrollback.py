"""How much of what a terminal has shown is kept?

The newest, within bounds; when they are passed more is dropped than needed, so that it happens seldom. Source: PROTOCOL.md section 9.
"""

from __future__ import annotations

from typing import Final

from ahp_platform.protocol.types.terminal import TerminalContentPart

MAX_TEXT: Final = 256 * 1024
KEPT_TEXT: Final = 192 * 1024
MAX_PARTS: Final = 1000
KEPT_PARTS: Final = 800


def trimmed(content: list[TerminalContentPart]) -> list[TerminalContentPart]:
    """The content without its oldest part; the very same while it is within bounds."""
    if len(content) <= MAX_PARTS and sum(map(_size, content)) <= MAX_TEXT:
        return content
    kept: list[TerminalContentPart] = []
    room = KEPT_TEXT
    for part in reversed(content[-KEPT_PARTS:]):
        if room <= 0:
            break
        kept.append(_end_of(part, room))
        room -= _size(part)
    kept.reverse()
    return kept


def _size(part: TerminalContentPart) -> int:
    if part["type"] == "command":
        return len(part["output"])
    return len(part["value"]) if part["type"] == "unclassified" else 0


def _end_of(part: TerminalContentPart, size: int) -> TerminalContentPart:
    if _size(part) <= size:
        return part
    if part["type"] == "command":
        return {**part, "output": part["output"][-size:]}
    return {**part, "value": part["value"][-size:]}
