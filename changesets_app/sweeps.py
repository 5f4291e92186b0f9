"""What of resources has to be looked after although nobody asks?

Runs in every host process; each sweep is safe to run in several at once.
"""

from __future__ import annotations

import asyncio
import logging
from itertools import count

from changesets_app import content
from changesets_app.grants import asking
from changesets_app.watches import registry

logger = logging.getLogger(__name__)

EVERY_S = 1.0
# Contents are swept in one round of so many.
CONTENTS_EVERY = 300


async def sweep_forever() -> None:
    """Run the sweeps until cancelled; one that fails is tried again in the next round."""
    for turn in count():
        await asyncio.sleep(EVERY_S)
        try:
            await registry.sweep()
            if not turn % CONTENTS_EVERY:
                await content.forget_unused()
                await asking.forget_old()
        except Exception as error:  # noqa: BLE001 - whatever it is, the next round tries again
            logger.warning("a sweep failed: %s", type(error).__name__)
