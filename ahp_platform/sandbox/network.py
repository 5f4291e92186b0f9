"""How does a fenced program get into the network without getting at what this machine keeps to itself?

By `pasta` (package passt): a user-mode network in a namespace of its own, unprivileged. The world answers; the machine's own loopback,
where the database listens, and its own address do not. Where the sandbox was chosen as `auto`, on one's own machine, the network is
the machine's, so that a model that is served there can be used.
"""

from __future__ import annotations

import functools
import shutil
import subprocess
from pathlib import Path
from typing import Final

from django.conf import settings

from ahp_platform.sandbox.kinds import AUTO, NoSandbox

# The user id within: with 0, which is what a service that runs as root has, pasta could not make its namespace.
AS_SOMEBODY: Final = ("unshare", "--user", "--map-user=1000", "--map-group=1000", "--")

# No port is passed on in either direction, and the gateway's address does not stand for this machine.
PASTA: Final = (
    *("pasta", "--foreground", "--quiet", "--log-file", "/dev/null", "--config-net", "--no-map-gw"),
    *("--tcp-ports", "none", "--udp-ports", "none", "--tcp-ns", "none", "--udp-ns", "none", "--"),
)

# A resolver on the loopback is not to be reached: systemd names those that it asks itself.
RESOLVERS: Final = (Path("/run/systemd/resolve/resolv.conf"), Path("/etc/resolv.conf"))


def shares_the_machines() -> bool:
    """Whether a program with a network has this machine's own."""
    return bool(settings.AHP_SANDBOX == AUTO)


def entered() -> list[str]:
    """What comes before the sandbox for a program that may use the network; raises `NoSandbox` where none is to be had."""
    if shares_the_machines():
        return []
    if works():
        return [*AS_SOMEBODY, *PASTA]
    raise NoSandbox(
        "The settings ask for a network, and this machine cannot give one that keeps its own services out of reach: pasta"
        " (package passt) is not installed, or does not work here."
    )


def resolver() -> Path:
    """The file that names servers which can be reached."""
    return next((path for path in RESOLVERS if path.exists()), RESOLVERS[-1])


@functools.cache
def works() -> bool:
    """Whether pasta can make a network here and now."""
    if shutil.which("pasta") is None or shutil.which("unshare") is None:
        return False
    try:
        return subprocess.run([*AS_SOMEBODY, *PASTA, "true"], capture_output=True, timeout=10).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False
