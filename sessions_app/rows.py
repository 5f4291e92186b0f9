"""Which statements keep the session tables in step with the log?

Each builds (statement, params) for `View.sql`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from ahp_platform.protocol import jsonrpc

Statement = tuple[str, Sequence[object]]

_INSERT = """
INSERT INTO sessions_app_session
    (tenant_id, uri, owner_id, readers, provider, title, status, created_at, modified_at, summary,
    unprepared_since, progress_client, progress_token)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, now(), %s, %s)
"""
_UPDATE = """
UPDATE sessions_app_session SET title = %s, status = %s, modified_at = %s, summary = %s
WHERE tenant_id = %s AND uri = %s
"""
_UPSERT_CLIENT = """
INSERT INTO sessions_app_activeclient (tenant_id, session, client_id, worker_id, connection_id, lost_at)
VALUES (%s, %s, %s, %s, %s, NULL)
ON CONFLICT (tenant_id, session, client_id) DO UPDATE
SET worker_id = excluded.worker_id, connection_id = excluded.connection_id, lost_at = NULL
"""
_QUEUED = """
INSERT INTO sessions_app_queuedmessage (tenant_id, chat, message_id, user_id) VALUES (%s, %s, %s, %s)
ON CONFLICT DO NOTHING
"""
_QUEUED_USER = """
UPDATE agents_turn t SET user_id = q.user_id FROM sessions_app_queuedmessage q
WHERE t.tenant_id = q.tenant_id AND t.chat = q.chat
    AND q.tenant_id = %s AND q.chat = %s AND q.message_id = %s AND t.turn_id = %s
"""


def storable(text: str) -> str:
    """PostgreSQL text holds no NUL; the log, being JSON, does."""
    return text.replace("\x00", "\N{REPLACEMENT CHARACTER}")


def session_added(
    tenant_id: int,
    owner_id: int,
    readers: Sequence[int] | None,
    summary: Mapping[str, Any],
    progress: tuple[str, str] | None,
) -> Statement:
    """The row of a new session; `progress` is the client and token that want to hear of its preparation."""
    client, token = progress or (None, None)
    return _INSERT, (
        tenant_id,
        summary["resource"],
        owner_id,
        readers,
        summary["provider"],
        storable(summary["title"]),
        summary["status"],
        summary["createdAt"],
        summary["modifiedAt"],
        jsonrpc.encode(summary),
        client,
        token,
    )


def session_changed(tenant_id: int, summary: Mapping[str, Any]) -> Statement:
    """The row of a session whose summary is now this."""
    columns = storable(summary["title"]), summary["status"], summary["modifiedAt"], jsonrpc.encode(summary)
    return _UPDATE, (*columns, tenant_id, summary["resource"])


def session_prepared(tenant_id: int, uri: str) -> Statement:
    """The workspace is ready, or has failed for good."""
    return "UPDATE sessions_app_session SET unprepared_since = NULL WHERE tenant_id = %s AND uri = %s", (tenant_id, uri)


def session_readers(tenant_id: int, uri: str, readers: Sequence[int] | None) -> Statement:
    """Who may see the session."""
    return "UPDATE sessions_app_session SET readers = %s WHERE tenant_id = %s AND uri = %s", (readers, tenant_id, uri)


def session_removed(tenant_id: int, uri: str) -> list[Statement]:
    """The session is gone."""
    return [
        ("DELETE FROM sessions_app_session WHERE tenant_id = %s AND uri = %s", (tenant_id, uri)),
        ("DELETE FROM sessions_app_activeclient WHERE tenant_id = %s AND session = %s", (tenant_id, uri)),
    ]


def client_active(tenant_id: int, session: str, client_id: str, worker_id: UUID, connection_id: str) -> Statement:
    """A client has become active in a session, through this connection."""
    return _UPSERT_CLIENT, (tenant_id, session, client_id, worker_id, connection_id)


def client_inactive(tenant_id: int, session: str, client_id: str) -> Statement:
    """A client is no longer active in a session."""
    return (
        "DELETE FROM sessions_app_activeclient WHERE tenant_id = %s AND session = %s AND client_id = %s",
        (tenant_id, session, client_id),
    )


def message_queued(tenant_id: int, chat: str, message_id: str, user_id: int) -> Statement:
    """Remember who queued a message; editing it later does not make it somebody else's."""
    return _QUEUED, (tenant_id, chat, message_id, user_id)


def queued_turn_user(tenant_id: int, chat: str, message_id: str, turn_id: str) -> list[Statement]:
    """A queued message became a turn: it acts for whoever queued it."""
    return [
        (_QUEUED_USER, (tenant_id, chat, message_id, turn_id)),
        message_unqueued(tenant_id, chat, message_id),
    ]


def message_unqueued(tenant_id: int, chat: str, message_id: str) -> Statement:
    """The message is no longer in the queue."""
    return (
        "DELETE FROM sessions_app_queuedmessage WHERE tenant_id = %s AND chat = %s AND message_id = %s",
        (tenant_id, chat, message_id),
    )
