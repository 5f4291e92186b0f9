"""How does an agent work for one AHP session? One process for all its chats, started when the first of them is prompted.

A process that dies is started again with the next prompt, and its conversations are taken up again. An agent that does not heed a
cancellation is not trusted with the next prompt: its process is ended, or, while other chats work with it, the conversation given up.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections import deque
from contextlib import suppress

from ahp_platform.agents.backend import Json, Object, SessionInfo, Sink, TurnFailed, TurnOver, TurnRequest
from ahp_platform.agents.backends.acp import prompts, updates
from ahp_platform.agents.backends.acp.client import AgentClient
from ahp_platform.agents.backends.acp.conversation import Conversation
from ahp_platform.agents.backends.acp.opening import TOLD, Opening, directory
from ahp_platform.agents.backends.acp.options import MODEL, wanted
from ahp_platform.agents.backends.acp.process import AgentProcess, AgentRefused
from ahp_platform.agents.backends.acp.specification import AgentSpecification
from ahp_platform.agents.backends.acp.turn import RunningTurn
from ahp_platform.agents.launching import Launcher, LaunchRequest

logger = logging.getLogger(__name__)

# The runner leaves an agent behind 3 s after a cancellation.
CANCEL_S = 2.0
# A cancelled agent that says nothing for so long has come to rest.
QUIET_S = 0.25

# What is reported of a session before we know that it is ours.
MAX_EARLY_SESSIONS, MAX_EARLY = 16, 64
# An agent that is asked nothing and reports this much is broken.
MAX_STRAYS = 20_000


class AcpSession:
    """The `AgentSession` of any agent that speaks the protocol."""

    def __init__(self, specification: AgentSpecification, launcher: Launcher, info: SessionInfo) -> None:
        self._specification, self._launcher, self._info = specification, launcher, info
        self._chats: dict[str, Conversation] = {}
        self._origins: dict[str, Object] = {}
        self._starting: asyncio.Task[AgentProcess] | None = None
        self._ending: asyncio.Task[None] | None = None
        self._early: dict[str, deque[updates.Update]] = {}

    async def prompt(self, turn: TurnRequest, sink: Sink) -> None:
        """See `AgentSession`."""
        conversation = self._chats.setdefault(turn.chat, Conversation(turn.chat, self._info.desk))
        running = RunningTurn(turn, sink, conversation.terminals)
        async with conversation.lock:
            try:
                await self._settle(conversation)
                await self._work(conversation, running)
            finally:
                conversation.end(running)
                running.done.set()

    async def steer(self, turn: TurnRequest, message: Object) -> bool:
        """See `AgentSession`: the protocol has no way to."""
        return False

    async def cancel(self, turn: TurnRequest) -> None:
        """See `AgentSession`."""
        conversation = self._chats.get(turn.chat)
        running = conversation.turn if conversation else None
        if conversation is None or running is None or running.request.turn_id != turn.turn_id:
            return
        running.over, conversation.unsettled = True, True
        if conversation.process is not None:
            await conversation.process.tell("session_cancel", {"sessionId": conversation.id})
        await running.end_commands()
        try:
            await asyncio.wait_for(running.done.wait(), CANCEL_S)
        except TimeoutError:
            logger.warning("the agent %s does not heed a cancellation", self._specification.display_name)
            await self._give_up(conversation)

    async def fork(self, origin: Object, chat: str) -> None:
        """See `AgentSession`."""
        self._origins[chat] = origin

    async def close(self) -> None:
        """See `AgentSession`."""
        starting, self._starting = self._starting, None
        if starting is None:
            return
        starting.cancel()
        with suppress(TurnFailed, asyncio.CancelledError):
            await (await starting).close()

    # ---- a prompt

    async def _work(self, conversation: Conversation, running: RunningTurn) -> None:
        turn = running.request
        process = await self._process(turn)
        opening = Opening(self._specification, process, self._origins)
        blocks = await opening.open(conversation, turn)
        await self._catch_up(conversation)
        if opening.told:
            await running.voice.notify(TOLD)
        await self._choose(conversation, process, turn)
        running.model = next((str(each.current) for each in conversation.choices if each.category == MODEL), "")
        capabilities = process.capabilities.get("promptCapabilities") or {}
        blocks += await prompts.prompt(turn, self._info.desk, capabilities)
        await conversation.prompted(turn.turn_id)
        conversation.turn = running
        conversation.unanswered = True
        params = {"sessionId": conversation.id, "prompt": blocks}
        try:
            async with asyncio.timeout(self._specification.run_time_s or None):
                result = await process.call("session_prompt", params, None)
        except TimeoutError:
            await self._give_up(conversation)
            limit = self._specification.run_time_s
            raise TurnFailed("timeLimit", f"The turn was ended: it took longer than the {limit} s it may.") from None
        except TurnFailed:
            conversation.unanswered = False
            raise
        conversation.unanswered = False
        if not running.over:
            await running.finish(result)

    async def _choose(self, conversation: Conversation, process: AgentProcess, turn: TurnRequest) -> None:
        for choice, value in list(wanted(conversation.choices, turn.config, turn.message.get("model", {}))):
            method, params = choice.call(conversation.id, value)
            try:
                result = await process.call(method, params)
            except AgentRefused as refused:
                kind = "model" if choice.category == MODEL else choice.name
                message = f"The agent does not take {value} as {kind}: {refused.message}"
                raise TurnFailed("optionRefused", message) from None
            conversation.set(choice, value, result)

    async def _settle(self, conversation: Conversation) -> None:
        """After a cancelled turn: nothing that the agent still says may land in the next one."""
        if conversation.unanswered:
            await self._give_up(conversation)
        if not conversation.unsettled:
            return
        conversation.unsettled = False
        if conversation.process is None or conversation.process.ended:
            return
        with suppress(TimeoutError):
            await asyncio.wait_for(conversation.stirred.wait(), QUIET_S)
            logger.warning("the agent %s goes on after a cancellation", self._specification.display_name)
            await self._give_up(conversation)

    # ---- the process

    async def _process(self, turn: TurnRequest) -> AgentProcess:
        """The process that runs, or a new one. Somebody's cancellation does not stop its start for others."""
        starting = self._starting
        if starting is not None and starting.done():
            failed = starting.cancelled() or starting.exception() is not None
            if failed or starting.result().ended:
                if not failed:
                    await starting.result().close()
                starting = None
        if starting is None:
            starting = self._starting = asyncio.create_task(self._start(directory(turn)))
            starting.add_done_callback(_retrieved)
        return await asyncio.shield(starting)

    async def _start(self, cwd: str) -> AgentProcess:
        specification = self._specification
        environment, writable = dict(specification.environment), []
        if specification.home is not None:
            # A session's own, since an agent keeps there what it was told, and others may not see the session. Named as in
            # `agents.leavings`, which removes it.
            home = f"{specification.home}/{hashlib.sha256(self._info.uri.encode()).hexdigest()[:20]}"
            environment["HOME"], writable = home, [home]
        request = LaunchRequest(
            tenant=self._info.tenant,
            session=self._info.uri,
            argv=specification.command,
            directory=cwd,
            environment=environment,
            network=specification.network,
            memory_mb=specification.memory_mb,
            readable=specification.readable,
            writable=writable,
        )
        client = AgentClient(self._find)
        return await AgentProcess.start(specification.display_name, self._launcher, request, client, self._update)

    async def _give_up(self, conversation: Conversation) -> None:
        """End the process, unless other chats work with it: then only what the agent has of this one is not used again."""
        busy = [each for each in self._chats.values() if each is not conversation and each.lock.locked()]
        process, conversation.process = conversation.process, None
        conversation.unanswered = conversation.unsettled = False
        if busy:
            conversation.id, conversation.spoilt = "", True
        elif process is not None:
            await process.close()

    # ---- what it reports

    def _find(self, session_id: str) -> Conversation | None:
        return next((each for each in self._chats.values() if each.id == session_id), None)

    async def _update(self, params: Json) -> None:
        read = updates.read(params)
        if read is None:
            return
        session_id, update = read
        conversation = self._find(session_id)
        if conversation is None:
            # It may be reported of before the answer that tells us its id.
            if session_id in self._early or len(self._early) < MAX_EARLY_SESSIONS:
                self._early.setdefault(session_id, deque(maxlen=MAX_EARLY)).append(update)
            return
        try:
            await conversation.update(update)
        except TurnOver:
            conversation.stirred.set()
        except Exception:
            # One report that cannot be shown is no reason to end what all chats use.
            logger.exception("a report of an agent could not be shown")
        if conversation.strays > MAX_STRAYS:
            logger.warning(
                "the agent %s reports without end, though nothing is asked", self._specification.display_name
            )
            conversation.strays = 0
            # Not from here: the process would wait for itself.
            self._ending = asyncio.create_task(self._give_up(conversation))

    async def _catch_up(self, conversation: Conversation) -> None:
        for update in self._early.pop(conversation.id, ()):
            await conversation.update(update)
        self._early.clear()


def _retrieved(task: asyncio.Task[AgentProcess]) -> None:
    """A start that nobody waits for any more may fail."""
    if not task.cancelled():
        task.exception()
