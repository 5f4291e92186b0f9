"""What do operators hear when a process that runs programs starts?"""

from __future__ import annotations

import logging

from ahp_platform.sandbox import groups, network
from ahp_platform.sandbox.kinds import LOCAL, NoSandbox, kind

logger = logging.getLogger(__name__)


def announce() -> None:
    """Say it where programs are not fenced, or not run at all, and which limits do not hold here."""
    groups.sweep()
    try:
        if kind() == LOCAL:
            logger.warning("programs run without a sandbox, as this very user: fit for one's own machine only")
    except NoSandbox as error:
        logger.warning("%s", error)
        return
    # On one's own machine nobody needs to be warned of it.
    level = logging.INFO if network.shares_the_machines() else logging.WARNING
    if network.shares_the_machines():
        logger.log(level, "a tenant whose settings allow a network has this machine's own, with its loopback")
    elif kind() != LOCAL and not network.works():
        logger.log(level, "no tenant has a network: pasta (package passt) is not installed, or does not work here")
    if groups.places() is None:
        logger.log(level, "no control groups can be made here: memory is not limited, processes are limited one by one")
