"""`manage.py run_host`: a process that runs agents and serves no sockets."""

from __future__ import annotations

import asyncio
import logging
import signal

import uvloop
from django.conf import settings
from django.core.management.base import BaseCommand

from ahp_platform.background import Background

logger = logging.getLogger(__name__)


class Command(BaseCommand):
    """Runs until SIGTERM or SIGINT, then ends its turns in good order."""

    help = "Run the turns of agents: claims them from the database, several such processes share the work."

    def handle(self, *args: object, **options: object) -> None:
        """Run the loop."""
        uvloop.run(_main())


async def _main() -> None:
    settings.AHP_ROLES = frozenset({"host"})
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    background = Background()
    await background.start()
    logger.info("host started")
    await stop.wait()
    logger.info("host stops")
    await background.stop()
