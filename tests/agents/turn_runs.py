"""How do tests run one turn of a chat, and look at what it left there?"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from ahp_platform.agents.backend import Json
from ahp_platform.agents.runner.live import LiveSessions
from ahp_platform.agents.runner.turn_run import TurnRun
from tests.agents.conftest import CHAT, Bench, holder

WITHIN_S = 15.0


async def started(bench: Bench, turn_id: str = "t1", text: str = "go", sessions: LiveSessions | None = None) -> TurnRun:
    await bench.start(turn_id, text)
    (claim,) = await bench.claim(holder())
    return TurnRun(claim, bench.log, sessions or LiveSessions())


async def finished(run: TurnRun) -> None:
    await asyncio.wait_for(run.run(), WITHIN_S)


async def until(bench: Bench, test: Callable[[Any], Any], what: str) -> None:
    """Wait until the chat's state fits."""

    async def look() -> None:
        async with bench.log.follow(CHAT) as feed:
            if test(feed.state):
                return
            async for _ in feed:
                if test(await bench.chat()):
                    return

    try:
        await asyncio.wait_for(look(), WITHIN_S)
    except TimeoutError:
        raise AssertionError(f"never {what}") from None


def parts(state: Any) -> list[Json]:
    turn = state.get("activeTurn") or state["turns"][-1]
    return list(turn["responseParts"])


def call_status(state: Any) -> list[str]:
    return [part["toolCall"]["status"] for part in parts(state) if part["kind"] == "toolCall"]
