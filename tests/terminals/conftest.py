"""What do tests of terminals need? To see that processes are gone, which nobody announces."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

import pytest

from tests.terminals.shell import running

GONE_WITHIN_S = 10.0

Gone = Callable[[str], Awaitable[None]]


@pytest.fixture
def gone() -> Gone:
    """Wait until no process has this word among its arguments."""

    async def wait(word: str) -> None:
        deadline = time.monotonic() + GONE_WITHIN_S
        while left := running(word):
            assert time.monotonic() < deadline, f"still running: {left}"
            await asyncio.to_thread(_look_again)

    return wait


def _look_again() -> None:
    """A process that ends tells its parent alone: others can only look, now and then."""
    time.sleep(0.05)
