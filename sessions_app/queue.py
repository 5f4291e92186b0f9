"""When does a queued message become a turn?

At once where the chat is idle. In a tenant whose turns are limited it waits for room: nobody is there to be refused, and what people
queued is not to be lost. Then a sweep starts it, since room also comes when a turn of another chat ends. Source: PROTOCOL.md section 8.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from ahp_platform.eventlog.logs import logs
from ahp_platform.eventlog.pool import fetch_across
from ahp_platform.eventlog.view import View
from sessions_app import rows
from sessions_app.chats import start_turn

AT_ONCE = 200

# Whoever has waited longest goes first: ids of chats say nothing of time, so the oldest end of a chat's last turn does.
_WAITING = """
SELECT q.tenant_id, q.chat, array_agg(q.message_id), array_agg(q.user_id) FROM sessions_app_queuedmessage q
WHERE NOT EXISTS (
    SELECT FROM agents_turn t
    WHERE t.tenant_id = q.tenant_id AND t.chat = q.chat AND t.state IN ('waiting', 'running')
) GROUP BY q.tenant_id, q.chat
ORDER BY (SELECT max(ended_at) FROM agents_turn t WHERE t.tenant_id = q.tenant_id AND t.chat = q.chat) NULLS FIRST LIMIT %s
"""


class Room(Protocol):
    """Whether there is room for turns."""

    def is_limited(self, tenant_id: int) -> bool:
        """Whether somebody has to look before a turn starts."""

    async def is_free(self, tenant_id: int, user_id: int) -> bool:
        """Whether a turn of this user may start now."""


class NoLimits:
    """There always is."""

    def is_limited(self, tenant_id: int) -> bool:
        """See `Room`."""
        return False

    async def is_free(self, tenant_id: int, user_id: int) -> bool:
        """See `Room`."""
        return True


_room: list[Room] = [NoLimits()]


def configure(room: Room) -> None:
    """Wiring: who knows whether there is room."""
    _room[:] = [room]


def next_turn(view: View, chat: str) -> None:
    """The chat is idle and messages wait: the first becomes a turn, unless somebody has to look whether there is room."""
    if not _room[0].is_limited(view.tenant_id):
        start(view, chat, view.state(chat)["queuedMessages"][0])


def start(view: View, chat: str, queued: Mapping[str, Any]) -> None:
    """Make the message a turn of the user who queued it."""
    view.act(chat, {"type": "chat/pendingMessageRemoved", "kind": "queued", "id": queued["id"]})
    turn_id = start_turn(view, chat, queued["message"], queued["id"])
    for statement in rows.queued_turn_user(view.tenant_id, chat, queued["id"], turn_id):
        view.sql(*statement)


async def sweep() -> None:
    """Start what has waited for room, as far as there is some."""
    for tenant_id, chat, messages, users in await fetch_across(_WAITING, (AT_ONCE,)):
        free = {user for user in set(users) if await _room[0].is_free(tenant_id, user)}
        if not free:
            continue
        allowed = {message for message, user in zip(messages, users, strict=True) if user in free}
        log = await logs.open(tenant_id)

        def plan(view: View, chat: str = chat, known: list[str] = messages, allowed: set[str] = allowed) -> None:
            _start_if_idle(view, chat, known, allowed)

        await log.append(plan)


def _start_if_idle(view: View, chat: str, known: list[str], allowed: set[str]) -> None:
    found = view.find(chat)
    queued = found.state.get("queuedMessages", []) if found is not None else []
    for gone in set(known) - {message["id"] for message in queued}:
        view.sql(*rows.message_unqueued(view.tenant_id, chat, gone))
    if queued and "activeTurn" not in view.state(chat) and queued[0]["id"] in allowed:
        start(view, chat, queued[0])
