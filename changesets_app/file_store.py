"""How do bytes get into the file store, out of it and away, whichever it is, and what if it cannot be reached?

`STORAGES["content"]`: a folder, or an S3 store of django-storages. Everything here waits for it in threads of its own, so
that one that is slow or away takes none from the files of workspaces. Whoever needs it then is told to try again.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar
from uuid import uuid4

from django.core.files.base import ContentFile
from django.core.files.storage import storages

from ahp_platform.protocol.errors import InternalError
from changesets_app.threads import in_thread

logger = logging.getLogger(__name__)

T = TypeVar("T")

STORE = "content"

# How long an S3 store may take to answer at all, and between two pieces; how often it is tried.
CONNECT_S, READ_S, TRIES = 3, 20, 2
# Of what is read from it, more than this waits on the disk.
IN_MEMORY_BYTES = 1024 * 1024

AWAY = "The file store cannot be reached; nothing is lost, try again"

# Not one common ancestor; and where boto was never loaded, nothing of it was raised.
_BOTO = (
    ("botocore.exceptions", "BotoCoreError"),
    ("botocore.exceptions", "ClientError"),
    ("boto3.exceptions", "Boto3Error"),
)

_pool = ThreadPoolExecutor(8, thread_name_prefix="store")


async def store_thread(work: Callable[[], T]) -> T:
    """As `in_thread`, in the threads of the file store."""
    return await in_thread(work, _pool)


async def save(folder: str, name: str, data: bytes) -> str:
    """Keep the bytes; where they are. No other name is ever the same: who deletes one deletes nobody else's bytes."""

    def work() -> str:
        with told():
            return str(_files().save(f"{folder}/{name}-{uuid4().hex[:12]}", ContentFile(data)))

    return await store_thread(work)


async def delete(location: str) -> None:
    """Let go of the bytes there, if there are any."""

    def work() -> None:
        with told():
            _files().delete(location)

    await store_thread(work)


def chunks(location: str) -> Iterator[bytes]:
    """The bytes there, piece by piece. To be gone through in a thread."""
    with told(), _files().open(location) as file:
        yield from file.chunks()


@contextmanager
def told() -> Iterator[None]:
    """Turn what goes wrong with the store into what a caller is told, and the operators."""
    try:
        yield
    except _failures() as error:
        logger.warning("the file store failed: %s", type(error).__name__, exc_info=error)
        raise InternalError(AWAY) from error


def _failures() -> tuple[type[Exception], ...]:
    return (OSError, *(getattr(sys.modules[module], name) for module, name in _BOTO if module in sys.modules))


def _files() -> Any:
    files: Any = storages[STORE]
    config = getattr(files, "client_config", None)
    if config is not None and config.connect_timeout != CONNECT_S:
        # Its own are a minute for each of five tries, and everything in memory.
        bounds = type(config)(connect_timeout=CONNECT_S, read_timeout=READ_S, retries={"max_attempts": TRIES - 1})
        files.client_config = config.merge(bounds)
        files.max_memory_size = files.max_memory_size or IN_MEMORY_BYTES
    return files
