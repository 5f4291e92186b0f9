"""What do the keepers of customizations need that others own? Handed in when the process starts (`wiring`)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from ahp_platform.agents.launching import Launcher
from ahp_platform.workspaces.fence import Fence
from ahp_platform.workspaces.paths import Names


class Tree(Protocol):
    """A watched directory tree. Synchronous: for threads."""

    def arm(self) -> None:
        """From now on changes are noticed; raises `OSError`."""

    def take(self) -> object:
        """What has happened since the last time."""

    def close(self) -> None:
        """Watch no longer."""


class Watcher(Protocol):
    """Makes watched trees: the directory at these names and what is below, as far as `wanted`; `woken` comes from any thread."""

    def __call__(
        self, fence: Fence, names: Names, wanted: Callable[[Names], bool], woken: Callable[[], None]
    ) -> Tree: ...


@dataclass(frozen=True, slots=True)
class Ports:
    """What was handed in. `tokens` are those of a user for resources, `has_network` is said of a tenant."""

    launcher: Launcher
    watcher: Watcher
    has_network: Callable[[int], Awaitable[bool]]
    tokens: Callable[[int, int | None, Sequence[str]], Awaitable[Mapping[str, str]]]


_configured: list[Ports] = []


def configure(given: Ports) -> None:
    """Hand in the ports of this process."""
    _configured[:] = [given]


def ports() -> Ports:
    """The ports of this process; raises where nobody configured any."""
    if not _configured:
        raise RuntimeError("customizations.ports.configure was not called in this process")
    return _configured[0]
