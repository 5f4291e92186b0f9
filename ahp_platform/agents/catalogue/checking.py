"""Does an agent start, and what does it say of itself?"""

from __future__ import annotations

from ahp_platform.agents.backend import Json, TurnFailed
from ahp_platform.agents.catalogue.entry import Entry
from ahp_platform.agents.catalogue.row_backend import standing

CHECK_S = 60.0


def discover(entry: Entry) -> Json:
    """What a probe of the agent found. Blocks; raises `TurnFailed` with a message for operators."""
    problem = standing(entry).problem
    if problem:
        raise TurnFailed("agentMissing", problem)
    return {}
