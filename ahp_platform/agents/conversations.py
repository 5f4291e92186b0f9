"""What does an agent call a chat, and which commands does it offer there? One row per chat and agent.

The rows of chats that are gone go with the next sweep.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ahp_platform.agents.backend import Object, Remembered
from ahp_platform.eventlog.pool import fetch, fetch_across
from ahp_platform.protocol import jsonrpc

_REMEMBERED = """
SELECT agent_session_id, seen FROM agents_conversation WHERE tenant_id = %s AND chat = %s AND provider = %s
"""
_REMEMBER = """
INSERT INTO agents_conversation (tenant_id, session, chat, provider, agent_session_id, seen, commands, changed_at)
VALUES (%s, %s, %s, %s, %s, %s, '[]', now())
ON CONFLICT (tenant_id, chat, provider) DO UPDATE SET
    session = excluded.session, agent_session_id = excluded.agent_session_id, seen = excluded.seen, changed_at = now()
RETURNING id
"""
_OFFER = """
INSERT INTO agents_conversation (tenant_id, session, chat, provider, agent_session_id, seen, commands, changed_at)
VALUES (%s, %s, %s, %s, '', '', %s::jsonb, now())
ON CONFLICT (tenant_id, chat, provider) DO UPDATE SET commands = excluded.commands, changed_at = now()
RETURNING id
"""
_COMMANDS = "SELECT commands FROM agents_conversation WHERE tenant_id = %s AND chat = %s AND provider = %s"
_FORGET = """
DELETE FROM agents_conversation v WHERE NOT EXISTS (
    SELECT FROM eventlog_channel c WHERE c.tenant_id = v.tenant_id AND c.uri = v.chat
) RETURNING id
"""


class ChatOf(NamedTuple):
    """A chat of a session with an agent."""

    tenant_id: int
    session: str
    chat: str
    provider: str

    @property
    def key(self) -> tuple[int, str, str]:
        """What its row is found by."""
        return self.tenant_id, self.chat, self.provider


async def remembered(chat: ChatOf) -> Remembered | None:
    """What `remember` was told last."""
    rows = await fetch(_REMEMBERED, chat.key, tenant=chat.tenant_id)
    return Remembered(*rows[0]) if rows and rows[0][0] else None


async def remember(chat: ChatOf, conversation: Remembered) -> None:
    """Keep this for as long as the chat is there."""
    await fetch(_REMEMBER, (*chat, *map(_storable, conversation)), tenant=chat.tenant_id)


async def offer(chat: ChatOf, commands: Sequence[Object]) -> None:
    """The commands that a message there may begin with."""
    text = jsonrpc.encode(jsonrpc.without_lone_surrogates(list(commands)))
    await fetch(_OFFER, (*chat, text.replace("\\u0000", "")), tenant=chat.tenant_id)


async def commands(chat: ChatOf) -> Sequence[Object]:
    """What was offered there last; None of it is known before the first turn."""
    rows = await fetch(_COMMANDS, chat.key, tenant=chat.tenant_id)
    found: Sequence[Object] = rows[0][0] if rows else ()
    return found


async def forget_unused() -> None:
    """Let go of what chats had that are gone: in every tenant, so across them."""
    await fetch_across(_FORGET, ())


def _storable(text: str) -> str:
    return text.replace("\x00", "").encode(errors="replace").decode()
