"""How does the practice agent talk, and how does it end a turn otherwise than well?"""

from __future__ import annotations

import asyncio
import re
import uuid

from ahp_platform.agents.backend import Sink, TurnFailed, TurnRequest

# Words come at this pace, a long text faster, so that an answer takes two seconds at most.
WORD_S = 0.02
SAY_S = 2.0

NUMBER_WIDTH = 8
MAX_STREAM = 1_000_000
MAX_DELTA = 1_000_000


async def say(turn: TurnRequest, sink: Sink, text: str) -> None:
    """Stream the text word by word."""
    words = re.findall(r"\s*\S+\s*?", text)
    if not words:
        return
    part = await begin(sink, "markdown")
    pause = min(WORD_S, SAY_S / len(words))
    for word in words:
        await sink.emit({"type": "chat/delta", "partId": part, "content": word})
        await asyncio.sleep(pause)


async def stream(turn: TurnRequest, sink: Sink, text: str) -> None:
    """N deltas of SIZE characters, the i-th (from 0) beginning with i; DELAY_MS between them."""
    count, size, delay = numbers("stream N [SIZE] [DELAY_MS]", text, 20, 0)
    if count > MAX_STREAM or size > MAX_DELTA:
        raise TurnFailed("badCommand", f"stream takes at most {MAX_STREAM} deltas of at most {MAX_DELTA} characters.")
    part = await begin(sink, "markdown")
    filling = " " + "." * max(0, size - NUMBER_WIDTH - 1)
    for i in range(count):
        content = f"{i:0{NUMBER_WIDTH}}{filling}"[: max(size, NUMBER_WIDTH)]
        await sink.emit({"type": "chat/delta", "partId": part, "content": content})
        if delay:
            await asyncio.sleep(delay / 1000)


async def think(turn: TurnRequest, sink: Sink, text: str) -> None:
    """A reasoning part, then the text."""
    part = await begin(sink, "reasoning")
    for piece in ("I was asked to think. ", f"It is about: {text}"):
        await sink.emit({"type": "chat/reasoning", "partId": part, "content": piece})
    await say(turn, sink, text)


async def usage(turn: TurnRequest, sink: Sink, text: str) -> None:
    """Report tokens."""
    used_in, used_out = numbers("usage IN OUT", text, required=2)
    model = turn.message.get("model", {}).get("id", "practice-small")
    await sink.emit({"type": "chat/usage", "usage": {"inputTokens": used_in, "outputTokens": used_out, "model": model}})


async def fail(turn: TurnRequest, sink: Sink, text: str) -> None:
    """End the turn with an error."""
    raise TurnFailed("practice", text or "Failed as asked.")


async def wait(turn: TurnRequest, sink: Sink, text: str) -> None:
    """Stay busy."""
    (milliseconds,) = numbers("wait MS", text)
    await asyncio.sleep(milliseconds / 1000)


async def begin(sink: Sink, kind: str) -> str:
    """Begin a part of text and return its id."""
    part = str(uuid.uuid4())
    await sink.emit({"type": "chat/responsePart", "part": {"kind": kind, "id": part, "content": ""}})
    return part


def numbers(usage: str, text: str, *defaults: int, required: int = 1) -> list[int]:
    """The numbers that a command takes; `defaults` stand in for those left out at the end."""
    words = text.split()
    if not required <= len(words) <= required + len(defaults) or not all(w.isascii() and w.isdigit() for w in words):
        raise TurnFailed("badCommand", f"The command is: {usage}")
    # A word of more digits than this is no number anybody means, and Python refuses to read very long ones.
    given = [int(word[:18]) for word in words]
    return given + list(defaults[len(given) - required :])
