"""What do tests of terminals need? To see that processes are gone."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

import psutil
import pytest

from tests.terminals.shell import running

GONE_WITHIN_S = 10.0

Gone = Callable[[str], Awaitable[None]]


@pytest.fixture
def gone() -> Gone:
    """Wait until no process has this word among its arguments."""

    async def wait(word: str) -> None:
        while pids := running(word):
            _, alive = await asyncio.to_thread(psutil.wait_procs, _processes(pids), timeout=GONE_WITHIN_S)
            assert alive == []

    return wait


def _processes(pids: list[int]) -> list[psutil.Process]:
    found = []
    for pid in pids:
        with suppress(psutil.NoSuchProcess):
            found.append(psutil.Process(pid))
    return found
