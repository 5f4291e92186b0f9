"""Which processes belong to a program that we run, wherever they have gone, and how does each of them end?

A process is known by the marker in the environment that it was started with, by its session, or by a parent that is one of them.
So those that left the process group, ignore signals or lost their parent are found. In a sandbox with a pid namespace the kernel
ends them all with the first of them; here that is made sure of.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path
from uuid import UUID

from ahp_platform.sandbox import groups

VARIABLE = "AHP_MARKER"

PROC = Path("/proc")

# Each round may find what was started while the one before ended its parent.
ROUNDS = 50


def end_all(markers: Collection[UUID], leaders: Collection[int] = ()) -> None:
    """Kill everything that bears one of the markers, is in its group, or descends from one of these session leaders.

    Blocks for a moment.
    """
    groups.end(markers)
    wanted = frozenset(f"{VARIABLE}={marker}".encode() for marker in markers)
    doomed = set(leaders)
    for _ in range(ROUNDS):
        found = _belonging(wanted, doomed)
        if not found:
            return
        doomed |= found
        for pid in found:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)


def _belonging(wanted: frozenset[bytes], doomed: Collection[int]) -> set[int]:
    children: dict[int, set[int]] = {}
    found: set[int] = set()
    for pid in _pids():
        status = _status(pid)
        if status is None or pid == os.getpid():
            continue
        parent, session = status
        children.setdefault(parent, set()).add(pid)
        if pid in doomed or session in doomed or _bears(pid, wanted):
            found.add(pid)
    unseen = list(found)
    while unseen:
        below = children.get(unseen.pop(), set()) - found
        found |= below
        unseen += below
    return found


def _pids() -> Iterator[int]:
    with suppress(FileNotFoundError):
        yield from (int(each.name) for each in PROC.iterdir() if each.name.isdigit())


def _status(pid: int) -> tuple[int, int] | None:
    """Parent and session; None where the process is gone or waits to be reaped."""
    try:
        text = (PROC / str(pid) / "stat").read_text(errors="replace")
    except OSError:
        return None
    state, parent, _, session = text.rpartition(")")[2].split()[:4]
    return None if state in "ZX" else (int(parent), int(session))


def _bears(pid: int, wanted: frozenset[bytes]) -> bool:
    try:
        return not wanted.isdisjoint((PROC / str(pid) / "environ").read_bytes().split(b"\0"))
    except OSError:
        return False
