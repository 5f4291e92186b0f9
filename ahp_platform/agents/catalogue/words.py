"""How do people write commands and variables, and how are these shown back to them?

A command is a line as one would type it into a shell, variables are lines `NAME=value`. Neither is ever given to a shell.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence


class Unreadable(ValueError):
    """It cannot be understood; the message is for who wrote it."""


def argv(line: str) -> list[str]:
    """The program and its arguments."""
    try:
        return shlex.split(line)
    except ValueError as error:
        raise Unreadable(f"The quotes do not match: {error}") from None


def line(words: Sequence[str]) -> str:
    """The line that `argv` reads so."""
    return shlex.join(words)


def variables(text: str) -> dict[str, str]:
    """The variables that stand in lines; empty lines are skipped, and everything behind the first `=` is the value."""
    found: dict[str, str] = {}
    for number, written in enumerate(text.splitlines(), 1):
        name, equals, value = written.strip().partition("=")
        if not name and not equals:
            continue
        if not equals:
            # Not quoted: it might be the value of a secret that was pasted without its name.
            raise Unreadable(f"Line {number} is not of the form NAME=value.")
        found[name.strip()] = value
    return found


def lines(pairs: Mapping[str, str]) -> str:
    """The text that `variables` reads so."""
    return "\n".join(f"{name}={value}" for name, value in pairs.items())
