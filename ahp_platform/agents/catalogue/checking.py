"""Does an agent start, and what does it say of itself?"""

from __future__ import annotations

import asyncio

from ahp_platform.agents.backend import Json, TurnFailed
from ahp_platform.agents.catalogue.entry import Entry
from ahp_platform.agents.catalogue.row_backend import standing
from ahp_platform.agents.launcher import launcher

CHECK_S = 60.0


def discover(entry: Entry) -> Json:
    """What a probe of the agent found. Blocks; raises `TurnFailed` with a message for operators."""
    problem = standing(entry).problem
    if problem:
        raise TurnFailed("agentMissing", problem)
    # A loop of its own, in the worker's thread: the probe needs nothing of ours.
    return asyncio.run(_probed(entry))


async def _probed(entry: Entry) -> Json:
    # Only processes that start agents need to load what speaks with them.
    from ahp_platform.agents.backends.acp.probe import probe

    try:
        return await asyncio.wait_for(probe(entry.specification(), launcher), CHECK_S)
    except TimeoutError:
        raise TurnFailed("agentSilent", f"It had not answered after {CHECK_S:.0f} s.") from None
