"""How much of the machine may one program take, with all that it starts?

Each has a control group of its own where the kernel lets us make one: cgroup v2 in a subtree that was delegated to the service
(`Delegate=yes` of a systemd unit, or named by `AHP_CGROUP`), or the v1 hierarchies where they can be written. A group also finds every
process in it, whatever that did to be lost from sight.
"""

from __future__ import annotations

import functools
import logging
import os
import signal
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from uuid import UUID

from django.conf import settings

from ahp_platform.sandbox import hierarchies

logger = logging.getLogger(__name__)

OFF = "off"
PROCESSES = 4096

# The controllers that we use; per version the file that takes the limit. A program's share of the processors is half of ours.
FILES: Final[Mapping[int, Mapping[str, str]]] = {
    2: {"memory": "memory.max", "pids": "pids.max", "cpu": "cpu.weight"},
    1: {"memory": "memory.limit_in_bytes", "pids": "pids.max", "cpu": "cpu.shares"},
}
SHARES: Final = {2: "50", 1: "512"}

# Joins the groups before the first `--`, then becomes the program after it.
JOIN: Final = 'while [ "$1" != -- ]; do echo $$ > "$1/cgroup.procs" || exit 126; shift; done; shift; exec "$@"'

GONE_WITHIN_S = 2.0
NEW_S = 60.0


@dataclass(frozen=True, slots=True)
class Places:
    """Where groups are made: directories of the kernel's, with the controllers that each has."""

    version: int
    controllers: Mapping[Path, Collection[str]]

    def of(self, marker: UUID) -> list[Path]:
        """The directories of one program's group."""
        return [place / f"ahp-{marker}" for place in self.controllers]


def joined(marker: UUID, memory_mb: int) -> list[str]:
    """Make the group of a program; the words before its command line that let it join. None where groups cannot be used."""
    found = places()
    if found is None:
        return []
    limits = {"pids": str(PROCESSES), "cpu": SHARES[found.version]}
    if memory_mb:
        limits["memory"] = str(memory_mb * 1024 * 1024)
    for group, controllers in zip(found.of(marker), found.controllers.values(), strict=True):
        group.mkdir(exist_ok=True)
        for controller in limits.keys() & set(controllers):
            (group / FILES[found.version][controller]).write_text(limits[controller])
    return ["sh", "-c", JOIN, "sh", *map(str, found.of(marker)), "--"]


def end(markers: Collection[UUID]) -> None:
    """Kill whatever is in the groups and remove them; blocks for a moment."""
    found = places()
    groups = [group for marker in markers for group in (found.of(marker) if found else ()) if group.exists()]
    deadline = time.monotonic() + GONE_WITHIN_S
    while groups and time.monotonic() < deadline:
        for group in groups:
            for pid in _members(group):
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
        groups = [group for group in groups if not _removed(group)]
        if groups:
            time.sleep(0.01)  # until the kernel has let go of what was killed
    if groups:
        logger.warning("%d control groups could not be removed", len(groups))


def sweep() -> None:
    """Remove what hosts left behind that died: empty groups, unless they are so new that somebody may be about to join."""
    found = places()
    for place in found.controllers if found else ():
        for group in place.glob("ahp-*"):
            with suppress(OSError):
                if time.time() - group.stat().st_mtime > NEW_S:
                    group.rmdir()


@functools.cache
def places() -> Places | None:
    """Where groups can be made here, None where nowhere: then only the limits of single processes hold."""
    if settings.AHP_CGROUP == OFF:
        return None
    with suppress(OSError):
        named = Path(settings.AHP_CGROUP) if settings.AHP_CGROUP else hierarchies.delegated()
        if named is not None and (given := hierarchies.prepared(named, FILES[2])):
            return Places(2, {named: given})
    with suppress(OSError):
        writable = {place: [name] for name, place in hierarchies.version_1(FILES[1]) if _is_writable(place)}
        if writable and not settings.AHP_CGROUP:
            return Places(1, writable)
    return None


def _is_writable(place: Path) -> bool:
    trial = place / f"ahp-trial-{os.getpid()}"
    try:
        trial.mkdir()
        trial.rmdir()
    except OSError:
        return False
    return True


def _members(group: Path) -> Iterator[int]:
    with suppress(OSError):
        yield from map(int, (group / "cgroup.procs").read_text().split())


def _removed(group: Path) -> bool:
    try:
        group.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True
