"""How does a host process hear that there is work?

A hint only: hosts look into the database anyway, at most a second later.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from ahp_platform.fanout import groups
from ahp_platform.fanout.hub import Message, hub

_woken: asyncio.Event | None = None


def wake() -> None:
    """There is a turn to claim: tell the hosts, ours first."""
    _ring({})
    hub.publish(groups.HOSTS, {"type": "hosts.wake"})


def listen() -> None:
    """Make this process hear `wake` calls of others."""
    hub.on("hosts.wake", _ring)
    hub.join(groups.HOSTS)


async def wait_woken(timeout: float) -> None:
    """Return at the next wake, or after `timeout` seconds."""
    global _woken
    if _woken is None:
        _woken = asyncio.Event()
    with suppress(TimeoutError):
        await asyncio.wait_for(_woken.wait(), timeout)
    _woken.clear()


def _ring(_: Message) -> None:
    if _woken is not None:
        _woken.set()
