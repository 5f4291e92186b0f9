"""What do agents keep for chats and sessions that are gone, and who lets go of it?

Runs in every host process; each round is safe to run in several at once.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import shutil
from collections.abc import Collection
from pathlib import Path

from django.conf import settings

from ahp_platform.agents import conversations
from ahp_platform.eventlog.pool import fetch_across

logger = logging.getLogger(__name__)

EVERY_S = 300.0

_SESSIONS = """
SELECT t.slug, c.uri FROM eventlog_channel c JOIN auth_app_tenant t ON t.id = c.tenant_id WHERE c.kind = 'session'
"""


async def sweep_forever() -> None:
    """Sweep until cancelled; a round that fails is followed by another."""
    while True:
        await asyncio.sleep(EVERY_S)
        try:
            await sweep()
        except Exception as error:  # noqa: BLE001 - whatever it is, the next round tries again
            logger.warning("what agents left could not be removed: %s", type(error).__name__)


async def sweep() -> None:
    """Let go of conversations without a chat, and of homes without a session."""
    await conversations.forget_unused()
    # The homes first: a session is older than its home, so what is not found afterwards is gone.
    found = await asyncio.to_thread(_homes)
    if found:
        living = {(slug, home_name(uri)) for slug, uri in await fetch_across(_SESSIONS, ())}
        await asyncio.to_thread(_remove, [home for home in found if (home.parent.name, home.name) not in living])


def home_name(session: str) -> str:
    """The name of a session's own directory below that of its agent and tenant."""
    return hashlib.sha256(session.encode()).hexdigest()[:20]


def _homes() -> list[Path]:
    return [path for path in Path(settings.AHP_DATA_DIR).glob("agents/*/homes/*/*") if path.is_dir()]


def _remove(homes: Collection[Path]) -> None:
    for home in homes:
        shutil.rmtree(home, ignore_errors=True)
