"""How is a shell started so that it tells us about its commands?

Each shell is pointed to a start-up file of ours, which reads the user's own first and then adds its hooks. What we do not know is
started as it is.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

SCRIPTS = Path(__file__).parent / "scripts"


@dataclass(frozen=True, slots=True)
class Start:
    """What to run, what to add to its environment, and the secret that its marks bear (None: they bear none)."""

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    nonce: str | None = None


def start(shell: str, scripts: str) -> Start:
    """An interactive shell; `scripts` is where it finds `SCRIPTS`."""
    nonce = secrets.token_hex(16)
    env = {"AHP_SHELL_NONCE": nonce}
    match Path(shell).name:
        case "bash":
            return Start((shell, "--init-file", f"{scripts}/bash.sh", "-i"), env, nonce)
        case "zsh":
            return Start((shell, "-i"), {**env, "ZDOTDIR": f"{scripts}/zsh"}, nonce)
        case "fish":
            return Start((shell, "--init-command", f"source '{scripts}/fish.fish'", "-i"), env, nonce)
    return Start((shell, "-i"))
