"""Where is work done that waits for a disk?

In a few threads of its own: a disk that is slow, or a lock that is held, must not take the threads that others need.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")

_pool = ThreadPoolExecutor(8, thread_name_prefix="files")


async def in_thread(work: Callable[[], T], pool: ThreadPoolExecutor = _pool) -> T:
    """The result of the work; raises what it raises. It is not interrupted when the waiting is."""
    return await asyncio.get_running_loop().run_in_executor(pool, work)
