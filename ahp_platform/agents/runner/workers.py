"""How does one turn run another in a chat of its own?"""

from __future__ import annotations

import asyncio
import uuid
from datetime import UTC, datetime

from ahp_platform.agents.backend import Json, Object, WorkerResult
from ahp_platform.agents.runner.active import Plan
from ahp_platform.agents.runner.ports import ports
from ahp_platform.eventlog.feed import Feed
from ahp_platform.eventlog.log import TenantLog
from ahp_platform.eventlog.view import View

ENDS = {"chat/turnComplete": "complete", "chat/turnCancelled": "cancelled", "chat/error": "error"}


class Worker:
    """A chat that was opened by a tool call, and the one turn in it."""

    def __init__(self, log: TenantLog, chat: str) -> None:
        self._log, self._chat, self._turn_id = log, chat, str(uuid.uuid4())

    @classmethod
    async def opened(cls, log: TenantLog, session: str, origin: tuple[str, str], title: str) -> Worker:
        """Open the chat; `origin` is the chat and the tool call that it belongs to."""
        return cls(log, await ports().chats.open_worker(log, session, *origin, title))

    async def run(self, text: str, user_id: int | None) -> WorkerResult:
        """Prompt it, for the user, and wait for the end of the turn; being cancelled cancels the turn."""
        async with self._log.follow(self._chat) as feed:
            await self._log.append(self._start(text), user_id=user_id)
            try:
                state = await self._ended(feed)
            except asyncio.CancelledError:
                ending = {"type": "chat/turnCancelled", "turnId": self._turn_id, "duration": 0}
                await asyncio.shield(self._log.emit(self._chat, ending))
                raise
        return WorkerResult(self._chat, state, await self._text() if state == "complete" else "")

    def _start(self, text: str) -> Plan:
        message = {"text": text, "origin": {"kind": "agent"}}

        def plan(view: View) -> None:
            started_at = datetime.fromtimestamp(view.now_ms / 1000, UTC).isoformat(timespec="milliseconds")
            start: Json = {"turnId": self._turn_id, "startedAt": started_at.replace("+00:00", "Z"), "message": message}
            view.act(self._chat, {"type": "chat/turnStarted", **start})

        return plan

    async def _ended(self, feed: Feed) -> str:
        async for entry in feed:
            action = entry.action
            if action["type"] in ENDS and action["turnId"] == self._turn_id:
                return ENDS[action["type"]]
            if action["type"] == "chat/truncated":
                break
        return "cancelled"

    async def _text(self) -> str:
        turns = (await self._log.state(self._chat))["turns"]
        found = next((turn for turn in turns if turn["id"] == self._turn_id), None)
        return markdown_of(found) if found else ""


def markdown_of(turn: Object) -> str:
    """What a turn says."""
    return "".join(part["content"] for part in turn["responseParts"] if part["kind"] == "markdown")
