"""Which settings does mypy read? The service's own, completed as `./ahp` completes the environment, so that it runs alone, too."""

from __future__ import annotations

from ahp_platform import local

local.adopt()

from ahp_platform.settings import *  # noqa: E402, F403
