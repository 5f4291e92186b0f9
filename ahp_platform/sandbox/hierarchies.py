"""Which control groups of the kernel are this process in, and which of them are ours to divide?"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

SELF_GROUPS, SELF_MOUNTS = Path("/proc/self/cgroup"), Path("/proc/self/mountinfo")

# How systemd marks a group whose inside is its owner's.
DELEGATED = ("user.delegate", "trusted.delegate")

# Where the processes go that stood in a group that is divided: the kernel wants them in leaves.
SERVICE = "service"


class _Mount(NamedTuple):
    root: Path
    point: Path
    kind: str
    options: frozenset[str]


def delegated() -> Path | None:
    """The group of version 2 that this process is in, where systemd has delegated it."""
    path = next((path for number, _, path in _memberships() if number == "0"), None)
    mount = next((each for each in _mounts() if each.kind == "cgroup2"), None)
    group = _below(mount, path) if mount is not None and path is not None else None
    if group is not None and group.name == SERVICE:
        group = group.parent  # another process of ours was first
    return group if group is not None and _is_delegated(group) else None


def prepared(group: Path, wanted: Collection[str]) -> list[str]:
    """Divide a group of version 2: those of the controllers that groups below it get. Raises `OSError`."""
    available = [name for name in wanted if name in (group / "cgroup.controllers").read_text().split()]
    if not set(available) <= set((group / "cgroup.subtree_control").read_text().split()):
        _empty(group)
        (group / "cgroup.subtree_control").write_text(" ".join(f"+{name}" for name in available))
    return available


def version_1(wanted: Collection[str]) -> Iterator[tuple[str, Path]]:
    """The controllers that have a hierarchy of version 1, and the group that this process is in there."""
    mounts = [each for each in _mounts() if each.kind == "cgroup"]
    for _, controllers, path in _memberships():
        for name in set(controllers.split(",")) & set(wanted):
            for mount in mounts:
                if name in mount.options and (group := _below(mount, path)) is not None:
                    yield name, group


def _empty(group: Path) -> None:
    """The root of all groups may hold processes and be divided; every other one must not."""
    if not (group / "cgroup.type").exists():
        return
    (group / SERVICE).mkdir(exist_ok=True)
    for pid in (group / "cgroup.procs").read_text().split():
        with suppress(ProcessLookupError):
            (group / SERVICE / "cgroup.procs").write_text(pid)


def _is_delegated(group: Path) -> bool:
    for name in DELEGATED:
        with suppress(OSError):
            return os.getxattr(group, name) == b"1"
    return False


def _below(mount: _Mount, path: Path) -> Path | None:
    return mount.point / path.relative_to(mount.root) if path.is_relative_to(mount.root) else None


def _memberships() -> Iterator[tuple[str, str, Path]]:
    """Number of the hierarchy, its controllers, and the group."""
    for line in SELF_GROUPS.read_text().splitlines():
        number, controllers, path = line.split(":", 2)
        yield number, controllers, Path(path)


def _mounts() -> Iterator[_Mount]:
    for line in SELF_MOUNTS.read_text().splitlines():
        place, _, filesystem = line.partition(" - ")
        root, point = place.split()[3:5]
        kind, _, options = filesystem.split()[:3]
        yield _Mount(Path(root), Path(point), kind, frozenset(options.split(",")))
