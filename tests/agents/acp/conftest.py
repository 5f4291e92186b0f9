"""What do the tests of agents in their own processes stand on?"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.agents.acp.sessions import Bench

NewBench = Callable[..., Bench]


@pytest.fixture
async def scripted(tmp_path: Path) -> AsyncIterator[NewBench]:
    """Makes sessions with the scripted agent; `flags` make it misbehave."""
    made: list[Bench] = []

    def make(*flags: str, **more: Any) -> Bench:
        made.append(Bench(tmp_path, flags, more))
        return made[-1]

    yield make
    for bench in made:
        await bench.session.close()
        assert all(process.returncode is not None for process in bench.launcher.started)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def running(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[NewBench]:
    """New chats of one session with the scripted agent, whose process goes on from test to test."""
    bench = Bench(tmp_path_factory.mktemp("scripted"))
    yield bench.in_new_chat
    await bench.session.close()
