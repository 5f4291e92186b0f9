"""What do operators hear when a process that runs programs starts?"""

from __future__ import annotations

import logging

from ahp_platform.sandbox import groups, network
from ahp_platform.sandbox.kinds import LOCAL, NoSandbox, kind

logger = logging.getLogger(__name__)


def announce() -> None:
    """Say it where programs are not fenced, or not run at all, and which limits do not hold here."""
    try:
        if kind() == LOCAL:
            logger.warning("programs run without a sandbox, as this very user: fit for one's own machine only")
        elif network.shares_the_machines():
            logger.info("a tenant whose settings allow a network has this machine's own, with its loopback")
        elif not network.works():
            logger.info("no tenant has a network: pasta (package passt) is not installed, or does not work here")
    except NoSandbox as error:
        logger.warning("%s", error)
    groups.sweep()
    if groups.places() is None:
        logger.info("no control groups can be made here: programs are limited process by process")
