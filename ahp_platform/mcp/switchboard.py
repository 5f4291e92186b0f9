"""How is an MCP server asked that another process speaks with?

The process that keeps a session's servers answers for it. Whoever asks publishes the question to the tenant's processes; the one that
keeps the session says at once, and again every few seconds while it works, that it has it. Silence means that it is gone. While it works
it may ask back (a question for people, a token that is missing). Source: DESIGN.md section 4.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import msgspec

from ahp_platform.fanout import groups
from ahp_platform.fanout.hub import Message, hub
from ahp_platform.mcp.failures import McpFailed, McpRefused, NeedsToken

logger = logging.getLogger(__name__)

Json = dict[str, Any]
# Something that comes up while a question is being answered, and what is answered to it.
Heard = Callable[[Json], Awaitable[Json]]

REACH_S, BEAT_S, SILENT_S = 2.0, 3.0, 12.0
# More than this does not go through the layer.
MAX_BYTES = 4 * 1024 * 1024

TOO_LONG = {"failed": "The server's answer is too long"}
NOBODY = "Nobody keeps the MCP servers of this session at the moment; try again"


class NotKept(McpFailed):
    """No process keeps the session's servers."""


class Servant(Protocol):
    """Keeps the servers of one session."""

    async def answer(self, question: Json, heard: Heard) -> Json:
        """Raises `McpRefused`, `McpFailed` or `NeedsToken`."""


async def unheard(_: Json) -> Json:
    """For questions during which nobody can be asked."""
    return {}


@dataclass(slots=True)
class _Asked:
    heard: Heard
    answer: asyncio.Future[Json]
    news: asyncio.Event = field(default_factory=asyncio.Event)
    servant: str = ""
    asides: set[asyncio.Task[None]] = field(default_factory=set)


class Switchboard:
    """The sessions that this process keeps, and the questions that it has asked."""

    def __init__(self) -> None:
        self._servants: dict[tuple[int, str], Servant] = {}
        self._asked: dict[str, _Asked] = {}
        self._working: dict[str, asyncio.Task[None]] = {}
        self._asides: dict[str, asyncio.Future[Json]] = {}

    def listen(self) -> None:
        """Take part in what the processes tell each other."""
        hub.on("mcp.ask", self._take_question)
        hub.on("mcp.beat", self._take_beat)
        hub.on("mcp.answer", self._take_answer)
        hub.on("mcp.aside", self._take_aside)
        hub.on("mcp.reply", self._take_reply)
        hub.on("mcp.cancel", self._take_cancel)

    def serve(self, tenant_id: int, session: str, servant: Servant) -> None:
        """From now on this process answers for the session."""
        self._servants[tenant_id, session] = servant

    def withdraw(self, tenant_id: int, session: str) -> None:
        """It answers no longer."""
        self._servants.pop((tenant_id, session), None)

    async def ask(self, tenant_id: int, session: str, question: Mapping[str, Any], heard: Heard = unheard) -> Json:
        """The answer; raises `NotKept`, and what the servant raises. Being cancelled ends the work on it."""
        ask_id = uuid.uuid4().hex
        asked = self._asked[ask_id] = _Asked(heard, asyncio.get_running_loop().create_future())
        said = {"tenant": tenant_id, "session": session, "question": dict(question)}
        hub.publish(
            groups.of_tenant(tenant_id), {"type": "mcp.ask", "ask": ask_id, "reply_to": hub.channel_name, **said}
        )
        try:
            return _judged(await self._answer_to(asked))
        except asyncio.CancelledError:
            if asked.servant:
                hub.send(asked.servant, {"type": "mcp.cancel", "ask": ask_id})
            raise
        finally:
            del self._asked[ask_id]
            for aside in asked.asides:
                aside.cancel()

    async def _answer_to(self, asked: _Asked) -> Json:
        while not asked.answer.done():
            asked.news.clear()
            try:
                await asyncio.wait_for(asked.news.wait(), SILENT_S if asked.servant else REACH_S)
            except TimeoutError:
                if not asked.answer.done():
                    raise NotKept(NOBODY) from None
        return asked.answer.result()

    # ---- the side that asks

    def _take_beat(self, message: Message) -> None:
        asked = self._asked.get(message["ask"])
        if asked is not None:
            asked.servant = message["servant"]
            asked.news.set()

    def _take_answer(self, message: Message) -> None:
        asked = self._asked.get(message["ask"])
        if asked is not None and not asked.answer.done():
            asked.answer.set_result(message["answer"])
            asked.news.set()

    def _take_aside(self, message: Message) -> None:
        asked = self._asked.get(message["ask"])
        if asked is not None:
            task = asyncio.get_running_loop().create_task(self._hear(asked, message))
            asked.asides.add(task)
            task.add_done_callback(asked.asides.discard)

    async def _hear(self, asked: _Asked, message: Message) -> None:
        try:
            reply = await asked.heard(message["aside"])
        except Exception:
            logger.exception("what an MCP server asked in between could not be answered")
            reply = {}
        hub.send(message["reply_to"], {"type": "mcp.reply", "id": message["id"], "reply": reply})

    # ---- the side that answers

    def _take_question(self, message: Message) -> None:
        servant = self._servants.get((message["tenant"], message["session"]))
        if servant is not None:
            ask_id = message["ask"]
            task = self._working[ask_id] = asyncio.get_running_loop().create_task(self._work(servant, message))
            task.add_done_callback(lambda _: self._working.pop(ask_id, None))

    def _take_cancel(self, message: Message) -> None:
        task = self._working.get(message["ask"])
        if task is not None:
            task.cancel()

    def _take_reply(self, message: Message) -> None:
        aside = self._asides.get(message["id"])
        if aside is not None and not aside.done():
            aside.set_result(message["reply"])

    async def _work(self, servant: Servant, message: Message) -> None:
        beating = asyncio.create_task(_beat(message))
        try:
            answer = await _answered(servant, message["question"], lambda aside: self._tell(message, aside))
        finally:
            beating.cancel()
        hub.send(message["reply_to"], {"type": "mcp.answer", "ask": message["ask"], "answer": answer})

    async def _tell(self, message: Message, aside: Json) -> Json:
        aside_id = uuid.uuid4().hex
        reply: asyncio.Future[Json] = asyncio.get_running_loop().create_future()
        self._asides[aside_id] = reply
        told = {"type": "mcp.aside", "ask": message["ask"], "id": aside_id, "aside": aside}
        hub.send(message["reply_to"], {**told, "reply_to": hub.channel_name})
        try:
            return await reply
        finally:
            del self._asides[aside_id]


async def _beat(message: Message) -> None:
    while True:
        hub.send(message["reply_to"], {"type": "mcp.beat", "ask": message["ask"], "servant": hub.channel_name})
        await asyncio.sleep(BEAT_S)


async def _answered(servant: Servant, question: Json, heard: Heard) -> Json:
    try:
        result = await servant.answer(question, heard)
        return {"result": result} if len(msgspec.json.encode(result)) <= MAX_BYTES else TOO_LONG
    except McpRefused as refused:
        return {"refused": [refused.code, refused.message, refused.data]}
    except NeedsToken as needed:
        return {"needs": needed.requirement}
    except McpFailed as failed:
        return {"failed": str(failed)}
    except Exception:
        logger.exception("an MCP server could not be asked")
        return {"failed": "The server could not be asked"}


def _judged(answer: Json) -> Json:
    if "refused" in answer:
        raise McpRefused(*answer["refused"])
    if "needs" in answer:
        raise NeedsToken(answer["needs"])
    if "failed" in answer:
        raise McpFailed(answer["failed"])
    found: Json = answer["result"]
    return found


switchboard = Switchboard()
