"""What may an agent session know and say of its AHP session, whether or not a turn runs?"""

from __future__ import annotations

from collections.abc import Sequence

from ahp_platform.agents import conversations
from ahp_platform.agents.backend import Object, Remembered
from ahp_platform.agents.conversations import ChatOf
from ahp_platform.agents.runner.ports import ports
from ahp_platform.eventlog.log import TenantLog
from ahp_platform.eventlog.view import View
from ahp_platform.protocol import uris
from ahp_platform.protocol.errors import NotFound

MAX_TITLE = 200


class SessionDesk:
    """The `Desk` of one session."""

    def __init__(self, log: TenantLog, session: str, provider: str) -> None:
        self._log, self._session, self._provider = log, session, provider
        self._titles: dict[str, str] = {}

    async def remembered(self, chat: str) -> Remembered | None:
        """See `Desk`."""
        return await conversations.remembered(self._of(chat))

    async def remember(self, chat: str, conversation: Remembered) -> None:
        """See `Desk`."""
        await conversations.remember(self._of(chat), conversation)

    async def entitle(self, chat: str, title: str) -> None:
        """See `Desk`."""
        given, before = title[:MAX_TITLE], self._titles.get(chat)
        self._titles[chat] = given
        await ports().chats.entitle(self._log, chat, given, before)

    async def offer(self, chat: str, commands: Sequence[Object]) -> None:
        """See `Desk`."""
        await conversations.offer(self._of(chat), commands)

    async def configure(self, values: Object) -> None:
        """See `Desk`: only what the session's schema knows, and allows to be this."""

        def plan(view: View) -> None:
            if not view.exists(self._session):
                return
            schema = view.state(self._session).get("config", {}).get("schema", {}).get("properties", {})
            known = {
                name: value for name, value in values.items() if value in schema.get(name, {}).get("enum", [value])
            }
            fitting = {name: value for name, value in known.items() if name in schema}
            if fitting:
                view.act(self._session, {"type": "session/configChanged", "config": fitting})

        await self._log.append(plan)

    async def turns(self, chat: str, through: str) -> Sequence[Object]:
        """See `Desk`."""
        try:
            if (await self._log.channel(chat)).parent != self._session:
                return ()
            state = await self._log.state(chat)
        except NotFound:
            return ()
        active = state.get("activeTurn")
        turns: list[Object] = [*state["turns"], *([active] if active else [])]
        ids = [turn["id"] for turn in turns]
        return turns[: ids.index(through) + 1] if through in ids else ()

    async def annotations(self, ids: Sequence[str] | None) -> Sequence[Object]:
        """See `Desk`."""
        try:
            state = await self._log.state(uris.annotations_of(self._session))
        except NotFound:
            return ()
        return [each for each in state["annotations"] if ids is None or each["id"] in ids]

    async def mcp_servers(self) -> Sequence[Object]:
        """See `Desk`."""
        return await ports().mcp_servers(self._log, self._session)

    def _of(self, chat: str) -> ChatOf:
        return ChatOf(self._log.tenant_id, self._session, chat, self._provider)
