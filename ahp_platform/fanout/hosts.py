"""How does a host process hear that there is work?

A hint only: hosts look into the database anyway, at most a second later.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from ahp_platform.fanout import groups
from ahp_platform.fanout.hub import Message, hub

# Who waits in this process, by what they wait for.
_bells: dict[str, asyncio.Event] = {}


def wake() -> None:
    """There is something to claim: tell the hosts, ours first."""
    _ring({})
    hub.publish(groups.HOSTS, {"type": "hosts.wake"})


def listen() -> None:
    """Make this process hear `wake` calls of others."""
    hub.on("hosts.wake", _ring)
    hub.join(groups.HOSTS)


async def wait_woken(work: str, timeout: float) -> None:
    """Return at the next wake, or after `timeout` seconds; one task per kind of work waits."""
    bell = _bells.setdefault(work, asyncio.Event())
    with suppress(TimeoutError):
        await asyncio.wait_for(bell.wait(), timeout)
    bell.clear()


def _ring(_: Message) -> None:
    for bell in _bells.values():
        bell.set()
