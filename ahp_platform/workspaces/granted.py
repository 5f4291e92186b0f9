"""Which places outside of every tenant's directory may be granted, and what keeps the bearer of a grant in them?

Only what lies below a directory of `AHP_GRANTABLE_ROOTS`. A granted place is opened from there downwards by the same
guard as everything else, and what is really reached must lie at the place or below it: a link out of it, or one on the
way to it, leads nowhere. Source: PROTOCOL.md section 12 (`resourceRequest`).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from ahp_platform.workspaces import paths
from ahp_platform.workspaces.beneath import ENTER
from ahp_platform.workspaces.fence import Fence, Fixed
from ahp_platform.workspaces.paths import LeadsOut, Names


@dataclass(frozen=True, slots=True)
class Grantable:
    """A place below a grantable root."""

    root: Path
    names: Names

    def path(self) -> str:
        """As people write it; raises `LeadsOut` where it cannot be written: such a place cannot be granted."""
        text = str(self.root.joinpath(*self.names))
        if not _is_text(text):
            raise LeadsOut("outside of the permitted directories")
        return text

    def coverings(self) -> list[str]:
        """The paths that a grant may be for so that it covers this place, the widest first; those that are text."""
        ways = (str(self.root.joinpath(*self.names[:count])) for count in range(len(self.names) + 1))
        return [way for way in ways if _is_text(way)]


class GrantedFence(Fence):
    """Around the place that `within` leads to from a grantable root."""

    is_tenants = False

    def __init__(self, root: Path, within: Names) -> None:
        super().__init__(root, paths.locks())
        self._within = within
        # Directories on the way are not the bearer's to make.
        self.given = max(0, len(within) - 1)

    def require(self, names: Names) -> None:
        """Raise `LeadsOut` for what is neither in the place nor on the way to it."""
        if names[: len(self._within)] != self._within[: len(names)]:
            raise LeadsOut("outside of the permitted directories")

    def require_inside(self, names: Names) -> None:
        """Raise `LeadsOut` for what is not in the place."""
        if names[: len(self._within)] != self._within:
            raise LeadsOut("outside of the permitted directories")

    def require_changeable(self, names: Names) -> None:
        """Raise `Fixed` for the grantable root itself."""
        if not names:
            raise Fixed("this directory may not be changed")

    def require_copyable(self, names: Names) -> None:
        """Everything that may be read may be copied."""

    def holds_own_directories(self, names: Names) -> bool:
        """Sessions have nothing here."""
        return False

    def _root_fd(self) -> int:
        return os.open(self.root, ENTER)


def grantable(names: Names) -> Grantable:
    """The place that these names lead to from `/`; raises `LeadsOut` where no grant could be for it."""
    absolute = ("", *names)
    for configured in settings.AHP_GRANTABLE_ROOTS:
        if _is_refused(configured):
            continue
        real = Path(os.path.realpath(configured))
        for root in (real, Path(configured)):
            with suppress(LeadsOut):
                return Grantable(real, paths.below(root, absolute))
    raise LeadsOut("outside of the permitted directories")


def refused_roots() -> Iterator[str]:
    """Those of the configured roots that are none: not absolute, or sharing anything with the data directory."""
    return filter(_is_refused, settings.AHP_GRANTABLE_ROOTS)


def _is_refused(configured: str) -> bool:
    if not Path(configured).is_absolute():
        return True
    # Tenants' own files are for nobody to grant.
    root, ours = Path(os.path.realpath(configured)), Path(os.path.realpath(settings.AHP_DATA_DIR))
    return root.is_relative_to(ours) or ours.is_relative_to(root)


def _is_text(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return "\x00" not in path
