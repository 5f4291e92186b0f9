"""How does synchronous code (a Celery task, a management command) write to the log?

Its process gets one event loop in a thread of its own, on which the logs are open; a coroutine is run there and its result awaited.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

from ahp_platform.eventlog.logs import logs

T = TypeVar("T")

_starting = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None


def run(work: Coroutine[Any, Any, T], timeout_s: float) -> T:
    """The result of `work`, which may use `logs`; raises what it raises, or `TimeoutError`."""
    future = asyncio.run_coroutine_threadsafe(work, _running_loop())
    try:
        return future.result(timeout_s)
    except TimeoutError:
        future.cancel()
        raise


def _running_loop() -> asyncio.AbstractEventLoop:
    global _loop
    with _starting:
        if _loop is None:
            loop = asyncio.new_event_loop()
            threading.Thread(target=loop.run_forever, name="log", daemon=True).start()
            asyncio.run_coroutine_threadsafe(logs.start(), loop).result()
            _loop = loop
        return _loop
