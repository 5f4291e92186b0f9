"""How do many who ask the same kind of question at the same time share one statement?

While one statement is on its way, whoever asks next waits for the next one, and all of them are answered by it. A lone question
goes at once; where several came together, more will, and the next statement waits a moment for them: a storm of five hundred costs a
few dozen.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from typing import Generic, TypeVar

# Long enough to gather many of a storm, too short for anybody in it to notice.
GATHER_S = 0.01

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Gathered(Generic[K, V]):
    """A question by key. `ask` answers several at once and leaves out keys that have no answer."""

    def __init__(self, ask: Callable[[Sequence[K]], Awaitable[Mapping[K, V]]]) -> None:
        self._ask = ask
        self._waiting: dict[K, asyncio.Future[V | None]] = {}
        self._asking: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def __call__(self, key: K) -> V | None:
        """The answer for this key, as of a moment after the call; raises what `ask` raises."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._loop, self._waiting, self._asking = loop, {}, None
        future = self._waiting.get(key)
        if future is None:
            future = self._waiting[key] = loop.create_future()
        if self._asking is None:
            self._asking = asyncio.create_task(self._work())
        return await asyncio.shield(future)

    async def _work(self) -> None:
        try:
            while self._waiting:
                asked, self._waiting = self._waiting, {}
                try:
                    answers = await self._ask(list(asked))
                except Exception as error:  # noqa: BLE001 - it goes to everybody who asked
                    for future in asked.values():
                        future.set_exception(error)
                else:
                    for key, future in asked.items():
                        future.set_result(answers.get(key))
                if len(asked) > 1:
                    await asyncio.sleep(GATHER_S)
        finally:
            self._asking = None
