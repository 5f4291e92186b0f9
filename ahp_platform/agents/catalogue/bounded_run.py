"""How is somebody else's program run to its end, within bounds of time and output?"""

from __future__ import annotations

import os
import re
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

KEPT_BYTES = 8 * 1024
SAY_EVERY_S = 2.0
LOOK_EVERY_S = 0.5

_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Unfinished(Exception):
    """It took too long and was ended."""


def run(
    argv: Sequence[str], environment: Mapping[str, str], timeout_s: float, say: Callable[[str], None]
) -> tuple[int, str]:
    """The exit code and the end of what it wrote. Now and then `say` gets a sentence for who waits."""
    # A group of its own, so that whatever it has started ends with it.
    process = subprocess.Popen(
        argv, env=dict(environment), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        start_new_session=True, cwd="/",
    )  # fmt: skip
    try:
        written = _drain(process, time.monotonic() + timeout_s, say)
        return process.wait(5), written
    except subprocess.TimeoutExpired:
        raise Unfinished("It closed its output and went on; it was ended.") from None
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _drain(process: subprocess.Popen[bytes], deadline: float, say: Callable[[str], None]) -> str:
    assert process.stdout is not None
    kept, began = b"", time.monotonic()
    said = began
    with selectors.DefaultSelector() as selector, process.stdout as pipe:
        selector.register(pipe, selectors.EVENT_READ)
        while True:
            ready = selector.select(LOOK_EVERY_S)
            piece = os.read(pipe.fileno(), 65_536) if ready else b""
            kept = (kept + piece)[-KEPT_BYTES:]
            # It may be gone while something that it has left behind holds its output open.
            if (ready and not piece) or (not ready and process.poll() is not None):
                return _ESCAPES.sub("", kept.decode(errors="replace"))
            now = time.monotonic()
            if now > deadline:
                raise Unfinished(f"It took longer than {deadline - began:.0f} s and was ended.")
            if now - said > SAY_EVERY_S:
                said = now
                say(f"Fetching and unpacking, for {now - began:.0f} s now")
