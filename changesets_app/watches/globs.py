"""Does a path match the globs of a watch?

A path matches where it or a directory that holds it does. `**` stands for any number of names, the other signs stay
within a name, `{a,b}` for either. Matching takes time in proportion to pattern and path, whatever the pattern.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fnmatch import translate

from ahp_platform.protocol.errors import InvalidParams

MAX_PATTERNS, MAX_LENGTH, MAX_ALTERNATIVES = 200, 300, 64

ANY = "**"

# A name's test; None stands for `**`.
Segment = Callable[[str], object] | None


class Globs:
    """Compiled patterns, relative to the root of a watch."""

    def __init__(self, patterns: Sequence[str]) -> None:
        if len(patterns) > MAX_PATTERNS or any(len(pattern) > MAX_LENGTH for pattern in patterns):
            raise InvalidParams(f"At most {MAX_PATTERNS} globs of {MAX_LENGTH} characters may be given")
        plain = [one for pattern in patterns for one in _alternatives(pattern)]
        self._patterns = [_compiled(pattern) for pattern in plain]

    def match(self, names: Sequence[str]) -> bool:
        """Whether the path, or a directory that holds it, matches any pattern."""
        return any(_matches(pattern, names) for pattern in self._patterns)


def _matches(pattern: Sequence[Segment], names: Sequence[str]) -> bool:
    reached = _closed(pattern, {0})
    for name in names:
        after = {at if pattern[at] is None else at + 1 for at in reached if _takes(pattern, at, name)}
        reached = _closed(pattern, after)
        if len(pattern) in reached:
            return True
    return False


def _takes(pattern: Sequence[Segment], at: int, name: str) -> bool:
    if at == len(pattern):
        return False
    test = pattern[at]
    return test is None or test(name) is not None


def _closed(pattern: Sequence[Segment], reached: set[int]) -> set[int]:
    """With what is reached by letting `**` stand for no name at all."""
    for at in sorted(reached):
        while at < len(pattern) and pattern[at] is None:
            at += 1
            reached.add(at)
    return reached


def _compiled(pattern: str) -> list[Segment]:
    names = [name for name in pattern.split("/") if name not in ("", ".")]
    return [None if name == ANY else re.compile(translate(name)).match for name in names]


def _alternatives(pattern: str) -> list[str]:
    done: list[str] = []
    todo = [pattern]
    while todo:
        one = todo.pop()
        braces = re.search(r"\{([^{}]*)\}", one)
        if braces is None:
            done.append(one)
        else:
            todo += [f"{one[: braces.start()]}{each}{one[braces.end() :]}" for each in braces[1].split(",")]
        if len(done) + len(todo) > MAX_ALTERNATIVES:
            raise InvalidParams("A glob has too many alternatives")
    return done
