"""Which of the terminal's output is text, and which is a sequence that the shell wrote for us?

An incremental parser of operating system commands (`ESC ] number ; … BEL`, or `ESC \\` at the end). The same output gives the
same tokens wherever it is split; what is held back is bounded, and each character is looked at a bounded number of times.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

ESC = "\x1b"

# A sequence that is longer than this is not one: it passes as text. Command lines are the longest that shells send.
MAX_SEQUENCE = 32 * 1024

# For us alone: programs that show the text must not see them.
STRIPPED = frozenset({"633", "133"})
# Title and directory: we read them, and the viewer's terminal does too.
READ = frozenset({"0", "2", "7"})

# What ends a sequence: BEL, the ESC of `ESC \`, or an abort (CAN, SUB, any other ESC).
_END = re.compile("[\x07\x1b\x18\x1a]")


@dataclass(frozen=True, slots=True)
class Text:
    """Output to show."""

    text: str


@dataclass(frozen=True, slots=True)
class Sequence:
    """A complete sequence of one of the numbers above."""

    number: str
    payload: str


Token = Text | Sequence


class SequenceParser:
    """One terminal's output, piece by piece."""

    def __init__(self) -> None:
        # The beginning of a sequence that is not complete yet, and how much of it was searched for an end.
        self._held, self._searched = "", 0

    def feed(self, text: str) -> list[Token]:
        """The tokens that are certain by now."""
        buffer = self._held + text
        tokens: list[Token] = []
        shown, position = 0, 0
        while (start := buffer.find(ESC, position)) >= 0:
            end = self._end(buffer, start)
            if end is None:
                break
            position = end
            number, _, payload = buffer[start + 2 : end].partition(";")
            if self._complete and number in STRIPPED | READ:
                _show(tokens, buffer[shown : start if number in STRIPPED else end])
                tokens.append(Sequence(number, payload.removesuffix("\\").rstrip("\x07\x1b")))
                shown = end
        else:
            start = len(buffer)
        _show(tokens, buffer[shown:start])
        self._held = buffer[start:]
        return tokens

    def finish(self) -> list[Token]:
        """Nothing will follow: what is held back is text."""
        held, self._held, self._searched = self._held, "", 0
        return [Text(held)] if held else []

    def _end(self, buffer: str, start: int) -> int | None:
        """Where to look on after the ESC at `start`, None where more has to come; says whether a sequence was `_complete`."""
        self._complete = False
        # What was held back begins the buffer: its beginning need not be searched again.
        searched, self._searched = (self._searched if start == 0 else 0), 0
        if start + 1 == len(buffer):
            return None
        if buffer[start + 1] != "]":
            return start + 1
        limit = start + MAX_SEQUENCE
        found = _END.search(buffer, max(start + 2, searched), limit)
        if found is None:
            self._searched = len(buffer) - start
            return start + 2 if len(buffer) >= limit else None
        at = found.start()
        if found.group() == ESC:
            if at + 1 == len(buffer):
                self._searched = at - start
                return None
            if buffer[at + 1] != "\\":
                return at
            at += 1
        self._complete = buffer[at] in "\x07\\"
        return at + 1


def _show(tokens: list[Token], text: str) -> None:
    if text:
        tokens.append(Text(text))
