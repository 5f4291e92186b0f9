"""How does synchronous code (a Celery task, a management command, a page of the admin site) write to the log?

A coroutine is run on the event loop on which the process has its logs open, and its result awaited; a process that has none gets one
in a thread of its own.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

from ahp_platform.eventlog.logs import logs

T = TypeVar("T")

_starting = threading.Lock()


def run(work: Coroutine[Any, Any, T], timeout_s: float) -> T:
    """The result of `work`, which may use `logs`; raises what it raises, or `TimeoutError`. Never to be called on the loop."""
    future = asyncio.run_coroutine_threadsafe(work, _running_loop())
    try:
        return future.result(timeout_s)
    except TimeoutError:
        future.cancel()
        raise


def _running_loop() -> asyncio.AbstractEventLoop:
    with _starting:
        if logs.loop is not None:
            return logs.loop
        loop = asyncio.new_event_loop()
        threading.Thread(target=loop.run_forever, name="log", daemon=True).start()
        asyncio.run_coroutine_threadsafe(logs.start(), loop).result()
        return loop
