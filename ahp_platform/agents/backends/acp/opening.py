"""How does a chat's conversation get into an agent's process?

The agent's own session is taken up again where there is one that has seen nothing but turns that the chat still has; a fork of
another chat becomes a fork of the agent's where it is its end. Else the agent begins anew and is told what was said, and so are
the people in the chat.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ahp_platform.agents.backend import Json, Object, Remembered, TurnFailed, TurnRequest
from ahp_platform.agents.backends.acp import prompts
from ahp_platform.agents.backends.acp.conversation import Conversation
from ahp_platform.agents.backends.acp.options import choices
from ahp_platform.agents.backends.acp.places import path_of
from ahp_platform.agents.backends.acp.process import AUTH_REQUIRED, AgentProcess, AgentRefused
from ahp_platform.agents.backends.acp.specification import AgentSpecification

TOLD = "The agent could not take up its own conversation. It was given the transcript of this chat instead."


def directory(turn: TurnRequest) -> str:
    """Where the agent works."""
    if not turn.working_directories:
        raise TurnFailed("noDirectory", "The session has no working directory. Add one, and send the message again.")
    return path_of(turn.working_directories[0])


class Opening:
    """Opens conversations in one process for one turn. `origins` has what chats began from."""

    def __init__(self, specification: AgentSpecification, process: AgentProcess, origins: Mapping[str, Object]) -> None:
        self._specification, self._process, self._origins = specification, process, origins
        self.told = False

    async def open(self, conversation: Conversation, turn: TurnRequest) -> list[Json]:
        """See that the conversation is in the process; what the agent has to be told before the message."""
        remembered = await conversation.remembered()
        if remembered is not None:
            here = conversation.process is self._process and conversation.id == remembered.id
            unseen = _unseen(turn.history, conversation.seen if here else remembered.seen)
            if unseen is not None and (here or await self._resumed(conversation, turn, remembered)):
                seen_none = len(unseen) == len(turn.history)
                return prompts.context(prompts.EARLIER if seen_none else prompts.MEANWHILE, unseen)
        if remembered is None:
            forked = await self._forked(conversation, turn)
            if forked is not None:
                return forked
        await self._begin(conversation, turn)
        aside = await self._aside(conversation)
        self.told = bool(turn.history)
        return [*aside, *prompts.context(prompts.EARLIER, turn.history)]

    async def _resumed(self, conversation: Conversation, turn: TurnRequest, remembered: Remembered) -> bool:
        sessions = self._process.capabilities.get("sessionCapabilities") or {}
        if sessions.get("resume") is not None:
            method = "session_resume"
        elif self._process.capabilities.get("loadSession"):
            method = "session_load"
        else:
            return False
        conversation.id = remembered.id
        try:
            result = await self._process.call(
                method, {**await self._where(conversation, turn), "sessionId": remembered.id}
            )
        except AgentRefused:
            conversation.id = ""
            return False
        self._take(conversation, remembered, result)
        return True

    async def _forked(self, conversation: Conversation, turn: TurnRequest) -> list[Json] | None:
        """Fork the agent's session of the chat that this one began from, if that is where it has come to."""
        origin = self._origins.get(conversation.chat)
        sessions = self._process.capabilities.get("sessionCapabilities") or {}
        if origin is None or sessions.get("fork") is None:
            return None
        source = await conversation.desk.remembered(origin["chat"])
        if source is None or source.seen != origin["turnId"] or not _is_young(turn.history, origin):
            return None
        if origin["kind"] == "sideChat" and not await self._is_complete(conversation, origin):
            return None
        try:
            result = await self._process.call(
                "session_fork", {**await self._where(conversation, turn), "sessionId": source.id}
            )
        except AgentRefused:
            return None
        if not isinstance(result.get("sessionId"), str):
            return None
        self._take(conversation, Remembered(result["sessionId"], source.seen), result)
        return _selection(origin)

    async def _is_complete(self, conversation: Conversation, origin: Object) -> bool:
        turns = await conversation.desk.turns(origin["chat"], origin["turnId"])
        return bool(turns) and "state" in turns[-1]

    async def _begin(self, conversation: Conversation, turn: TurnRequest) -> None:
        where = await self._where(conversation, turn)
        try:
            result = await self._process.call("session_new", where)
        except AgentRefused as refused:
            if refused.code != AUTH_REQUIRED or not await self._authenticated():
                raise self._explained(refused) from None
            result = await self._process.call("session_new", where)
        if not isinstance(result.get("sessionId"), str):
            raise TurnFailed("agentError", f"The agent {self._specification.display_name} began no session.")
        self._take(conversation, Remembered(result["sessionId"]), result)

    def _take(self, conversation: Conversation, begun: Remembered, result: Object) -> None:
        conversation.id, conversation.seen = begun
        conversation.process, conversation.spoilt = self._process, False
        conversation.choices = choices(result)

    async def _where(self, conversation: Conversation, turn: TurnRequest) -> Json:
        where: Json = {"cwd": directory(turn), "mcpServers": list(await conversation.desk.mcp_servers())}
        sessions = self._process.capabilities.get("sessionCapabilities") or {}
        others = [path_of(uri) for uri in turn.working_directories[1:]]
        if others and sessions.get("additionalDirectories") is not None:
            where["additionalDirectories"] = others
        return where

    async def _aside(self, conversation: Conversation) -> list[Json]:
        """What a side chat is about."""
        origin = self._origins.get(conversation.chat)
        if origin is None or origin["kind"] != "sideChat":
            return []
        turns = await conversation.desk.turns(origin["chat"], origin["turnId"])
        return [*prompts.context(prompts.ASIDE, turns), *_selection(origin)]

    async def _authenticated(self) -> bool:
        """Log in by a way that needs nothing but variables which an operator has set."""
        for method in self._methods():
            if method.get("type") != "env_var":
                continue
            needed = [each["name"] for each in method.get("vars") or () if not each.get("optional")]
            if all(name in self._specification.environment for name in needed):
                await self._process.call("authenticate", {"methodId": method["id"]})
                return True
        return False

    def _explained(self, refused: AgentRefused) -> TurnFailed:
        if refused.code != AUTH_REQUIRED:
            return refused
        ways = "; ".join(str(method.get("description") or method.get("name")) for method in self._methods())
        name = self._specification.display_name
        message = f"The agent {name} is not logged in. An operator can change that. It says: {ways or refused.message}"
        return TurnFailed("authRequired", message)

    def _methods(self) -> list[dict[str, Any]]:
        return [each for each in self._process.about.get("authMethods") or () if isinstance(each, dict)]


def _unseen(history: Sequence[Object], seen: str) -> list[Object] | None:
    """The turns after the one that the agent saw last; None where the chat does not have that any more."""
    if not seen:
        return list(history)
    ids = [turn["id"] for turn in history]
    return list(history[ids.index(seen) + 1 :]) if seen in ids else None


def _is_young(history: Sequence[Object], origin: Object) -> bool:
    """Whether the chat has no turns of its own yet."""
    return not history or (origin["kind"] == "fork" and history[-1]["id"] == origin["turnId"])


def _selection(origin: Object) -> list[Json]:
    selected = origin.get("selection", {}).get("text")
    return [prompts.text(f"It is about this part:\n{selected}")] if selected else []
