"""How is one claimed turn run, so that it ends exactly once whatever its agent does?

Three things can end it: the agent is done or fails, the chat says that it is over (cancelled, truncated, disposed), or the host
gives up on it (silence, shutdown). The log decides which came first; afterwards the agent is let go of and nothing more is written.
"""

from __future__ import annotations

import asyncio
import logging
import time
from typing import Any

from django.conf import settings

from ahp_platform.agents import claims
from ahp_platform.agents.backend import Json, TurnFailed, TurnOver, TurnRequest, TurnStopped
from ahp_platform.agents.claims import Claim
from ahp_platform.agents.runner.active import acting, active_turn, error
from ahp_platform.agents.runner.follow import Follower
from ahp_platform.agents.runner.live import Live, LiveSessions
from ahp_platform.agents.runner.request import turn_request
from ahp_platform.agents.runner.sink import TurnSink
from ahp_platform.agents.runner.tool_commands import run_for_user
from ahp_platform.agents.runner.waits import Waits
from ahp_platform.agents.runner.writer import TurnWriter
from ahp_platform.eventlog.feed import Feed
from ahp_platform.eventlog.log import TenantLog
from ahp_platform.protocol import jsonrpc
from ahp_platform.protocol.errors import NotFound

logger = logging.getLogger(__name__)

# An agent that was told to stop gets this long; then its task is left behind, unable to write anything.
CANCEL_S = 3.0
CHECK_SILENCE_EVERY_S = 1.0
COMMAND_PREFIX = "!"
STOPPED = error("hostStopped", "The host was stopped for maintenance. Send the message again to go on.")


class TurnRun:
    """One turn on this host."""

    def __init__(self, claim: Claim, log: TenantLog, sessions: LiveSessions) -> None:
        self.claim, self._log, self._sessions = claim, log, sessions
        self._began = time.monotonic() - claim.age_ms / 1000
        self._waits = Waits()
        self._writer = TurnWriter(log, claim.key)
        self._sink = TurnSink(claim, log, self._writer, self._waits)
        self._follower = Follower(log, claim.key, self._waits)
        self._given_up: asyncio.Future[Json | None] = asyncio.get_running_loop().create_future()
        self._working: tuple[Live, TurnRequest] | None = None

    def lose(self) -> None:
        """The turn is no longer ours to end: let go of it without a word."""
        self._give_up(None)

    def stop(self) -> None:
        """The process ends, and the turn with it."""
        self._give_up(STOPPED)

    async def run(self) -> None:
        """Run the turn to its end."""
        try:
            async with self._log.follow(self.claim.key.chat) as feed:
                turn = active_turn(feed.state)
                if turn is not None and turn["id"] == self.claim.key.turn_id:
                    await self._run(feed)
                    return
        except NotFound:
            logger.info("the chat was closed before its turn began", extra={"tenant": self._log.slug})
        await claims.close(self.claim.lease, "cancelled")

    def _give_up(self, ending: Json | None) -> None:
        if not self._given_up.done():
            self._given_up.set_result(ending)

    async def _run(self, feed: Feed) -> None:
        over = asyncio.create_task(self._follower.until_over(feed))
        prompt = asyncio.create_task(self._prompt(feed))
        try:
            await self._end(await self._ending(over, prompt))
        finally:
            self._writer.close()
            self._waits.release()
            await self._let_go(prompt)
            over.cancel()

    async def _ending(self, over: asyncio.Task[None], prompt: asyncio.Task[None]) -> Json | None:
        """The action to end the turn with; None where it has ended already."""
        while True:
            everything: set[asyncio.Future[Any]] = {over, prompt, self._given_up}
            await asyncio.wait(everything, timeout=CHECK_SILENCE_EVERY_S, return_when=asyncio.FIRST_COMPLETED)
            if over.done():
                over.result()
                return None
            if prompt.done():
                return _outcome(prompt)
            if self._given_up.done():
                return self._given_up.result()
            if not self._waits.any and time.monotonic() - self._writer.last_put > settings.AHP_TURN_SILENCE_S:
                return error("agentSilent", f"The agent showed no sign of life for {settings.AHP_TURN_SILENCE_S} s.")

    async def _end(self, ending: Json | None) -> None:
        if ending is None:
            return
        await self._writer.drain()
        if self._writer.failed:
            ending = _not_stored()
        duration = int((time.monotonic() - self._began) * 1000)
        action = {**ending, "turnId": self.claim.key.turn_id, "duration": max(0, duration)}
        try:
            await self._log.append(acting(self.claim.key, [jsonrpc.without_lone_surrogates(action)]))
        except Exception:
            # The lease is no longer renewed, so whoever reaches the database first ends the turn.
            logger.exception("the end of a turn could not be written", extra={"tenant": self._log.slug})

    async def _prompt(self, feed: Feed) -> None:
        request = await turn_request(self.claim, self._log, feed.state)
        self._sink.describe(request)
        text: str = request.message["text"]
        if text.startswith(COMMAND_PREFIX):
            await run_for_user(self._sink, text.removeprefix(COMMAND_PREFIX).strip())
            return
        async with self._sessions.use(self._log, self.claim.session, self.claim.provider) as live:
            await live.meet(request.chat, feed.state)
            self._working = live, request
            steering = asyncio.create_task(self._steer(live, request))
            try:
                await live.session.prompt(request, self._sink)
            finally:
                steering.cancel()

    async def _steer(self, live: Live, request: TurnRequest) -> None:
        while True:
            pending = await self._follower.steering.get()
            if await live.session.steer(request, pending["message"]):
                await self._writer.put({"type": "chat/pendingMessageRemoved", "kind": "steering", "id": pending["id"]})

    async def _let_go(self, prompt: asyncio.Task[None]) -> None:
        """Make the agent stop working for the turn."""
        if prompt.done():
            return
        if self._working is not None:
            live, request = self._working
            try:
                await asyncio.wait_for(live.session.cancel(request), CANCEL_S)
            except Exception:
                logger.exception("an agent failed to cancel a turn", extra={"tenant": self._log.slug})
        prompt.cancel()
        await asyncio.wait({prompt}, timeout=CANCEL_S)
        if prompt.done():
            _forget(prompt)
            return
        logger.warning("an agent ignores that its turn was cancelled", extra={"tenant": self._log.slug})
        prompt.add_done_callback(_forget)
        if self._working is not None:
            self._sessions.abandon(self._working[0])


def _outcome(prompt: asyncio.Task[None]) -> Json:
    """How a turn ends whose agent is done."""
    failure = None if prompt.cancelled() else prompt.exception()
    if isinstance(failure, TurnFailed):
        return error(failure.error_type, failure.message)
    if isinstance(failure, TurnStopped):
        return {"type": "chat/turnCancelled"}
    if isinstance(failure, TurnOver):
        return _not_stored()
    if failure is not None or prompt.cancelled():
        logger.error("an agent failed", exc_info=failure)
        return error("agentFailed", "The agent failed unexpectedly. Try again; if it stays so, tell your operator.")
    return {"type": "chat/turnComplete"}


def _not_stored() -> Json:
    return error("storage", "The answer could not be stored; the part that is shown is what there is.")


def _forget(prompt: asyncio.Task[None]) -> None:
    """Nobody asks any more how the agent's work came out, but that it failed is worth a line."""
    failure = None if prompt.cancelled() else prompt.exception()
    if failure is not None and not isinstance(failure, TurnOver | TurnFailed | TurnStopped):
        logger.info("an agent failed after its turn", exc_info=failure)
