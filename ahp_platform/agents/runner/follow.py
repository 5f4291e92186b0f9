"""What do the entries of a chat mean for the turn that runs in it?"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from ahp_platform.agents.backend import Json, Object
from ahp_platform.agents.runner.active import active_turn
from ahp_platform.agents.runner.waits import Waits
from ahp_platform.agents.turns import TurnKey
from ahp_platform.eventlog.entry import Entry
from ahp_platform.eventlog.feed import Feed
from ahp_platform.eventlog.log import TenantLog
from ahp_platform.protocol.errors import NotFound

ENDS = frozenset({"chat/turnComplete", "chat/turnCancelled", "chat/error"})


class Follower:
    """Reads the chat like any other reader and lets the turn know. `steering` gets the messages to take into the turn."""

    def __init__(self, log: TenantLog, key: TurnKey, waits: Waits) -> None:
        self._log, self._key, self._waits = log, key, waits
        self.steering: asyncio.Queue[Object] = asyncio.Queue()
        self._reactions: dict[str, Callable[[Json], None]] = {
            "chat/toolCallConfirmed": self._confirmed,
            "chat/toolCallComplete": self._completed,
            "chat/pendingMessageSet": self._pending,
        }

    async def until_over(self, feed: Feed) -> None:
        """Return when the turn has ended, was truncated away, or its chat was closed."""
        if "steeringMessage" in feed.state:
            self.steering.put_nowait(feed.state["steeringMessage"])
        async for entry in feed:
            if self._is_end(entry.action):
                return
            if entry.action["type"] == "chat/inputCompleted":
                await self._answered(entry)
            elif entry.action.get("turnId", self._key.turn_id) == self._key.turn_id:
                self._reactions.get(entry.action["type"], _ignore)(entry.action)

    def _is_end(self, action: Json) -> bool:
        # Truncation drops the active turn whichever turn it names.
        if action["type"] == "chat/truncated":
            return True
        return action["type"] in ENDS and action["turnId"] == self._key.turn_id

    def _confirmed(self, action: Json) -> None:
        self._waits.resolve("confirmation", action["toolCallId"], action)

    def _completed(self, action: Json) -> None:
        self._waits.resolve("result", action["toolCallId"], action["result"])

    def _pending(self, action: Json) -> None:
        if action["kind"] == "steering":
            self.steering.put_nowait({"id": action["id"], "message": action["message"]})

    async def _answered(self, entry: Entry) -> None:
        action = entry.action
        answers = await self._answers(action["requestId"]) if action["response"] == "accept" else {}
        self._waits.resolve("answers", action["requestId"], {"response": action["response"], "answers": answers})

    async def _answers(self, request_id: str) -> Object:
        try:
            turn = active_turn(await self._log.state(self._key.chat))
        except NotFound:
            return {}
        for part in turn["responseParts"] if turn else ():
            if part["kind"] == "inputRequest" and part["request"]["id"] == request_id:
                found: Object = part["request"].get("answers", {})
                return found
        return {}


def _ignore(_: Json) -> None:
    """Most actions of a turn are its own."""
