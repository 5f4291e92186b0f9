"""What does the environment say? Three readers, each of which fails loudly on what it cannot read."""

from __future__ import annotations

import os
from pathlib import Path

TRUE = {"1", "true", "yes", "on"}
FALSE = {"0", "false", "no", "off"}


class BadEnvironmentError(Exception):
    """A variable is missing or cannot be read; the message names it, never its value."""


def env_bool(name: str, default: bool) -> bool:
    """A switch: 1/true/yes/on or 0/false/no/off."""
    text = os.environ.get(name, "").strip().lower()
    if not text:
        return default
    if text not in TRUE | FALSE:
        raise BadEnvironmentError(f"{name} must be one of {', '.join(sorted(TRUE | FALSE))}")
    return text in TRUE


def env_int(name: str, default: int) -> int:
    """A whole number of at least zero."""
    text = os.environ.get(name, "").strip()
    if not text:
        return default
    if not (text.isascii() and text.isdigit()):
        raise BadEnvironmentError(f"{name} must be a whole number of at least zero")
    return int(text)


def env_secret(name: str, default: str | None = None) -> str:
    """A secret, from the variable itself or from the file that NAME_FILE names (as container secrets are mounted)."""
    text, path = os.environ.get(name, ""), os.environ.get(f"{name}_FILE", "")
    if text and path:
        raise BadEnvironmentError(f"{name} and {name}_FILE are both set; set one")
    if path:
        try:
            text = Path(path).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeError) as error:
            raise BadEnvironmentError(f"{name}_FILE cannot be read: {type(error).__name__}") from error
    if not text and default is None:
        raise BadEnvironmentError(f"{name} (or {name}_FILE) must be set")
    return text or default or ""
