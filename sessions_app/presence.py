"""Which clients are active in sessions, and what happens when one is gone?

A client that offers tools is active in a session until it says otherwise, unsubscribes, comes back without the
session, or stays away longer than the grace period. Its row names the connection that last spoke for it, so that the
loss of a connection, or of the whole process that held it, can be seen by any other process. Source: PROTOCOL.md
section 7.
"""

from __future__ import annotations

from collections.abc import Sequence

from django.conf import settings

from ahp_platform.eventlog.gathered import Gathered
from ahp_platform.eventlog.log import TenantLog
from ahp_platform.eventlog.logs import logs
from ahp_platform.eventlog.pool import fetch_across
from ahp_platform.eventlog.view import View
from ahp_platform.eventlog.workers import ALIVE_S, WORKER_ID
from ahp_platform.rpc.context import Context

# Tenant, client and connection.
Spoken = tuple[int, str, str]

_MET = """
UPDATE sessions_app_activeclient a SET worker_id = %s, connection_id = m.connection, lost_at = NULL
FROM unnest(%s::int8[], %s::text[], %s::text[]) AS m(tenant, client, connection)
WHERE a.tenant_id = m.tenant AND a.client_id = m.client RETURNING m.tenant, m.client, m.connection, a.session
"""
_DEPARTED = """
UPDATE sessions_app_activeclient SET lost_at = now() WHERE connection_id = ANY(%s) RETURNING session
"""
_DEAD_WORKERS = """
UPDATE sessions_app_activeclient a SET lost_at = now() WHERE lost_at IS NULL AND NOT EXISTS (
    SELECT FROM eventlog_worker w WHERE w.id = a.worker_id AND w.seen_at > now() - make_interval(secs => %s)
) RETURNING tenant_id
"""
# Whoever may not act there any more is not waited for: removed, made a viewer, disabled, or shut out of a private session.
_POWERLESS = """
SELECT a.tenant_id, a.session, a.client_id FROM sessions_app_activeclient a
JOIN auth_app_clientbinding b ON b.tenant_id = a.tenant_id AND b.client_id = a.client_id
LEFT JOIN sessions_app_session s ON s.tenant_id = a.tenant_id AND s.uri = a.session
WHERE b.user_id <> ALL (s.readers) OR NOT EXISTS (
    SELECT FROM auth_app_membership m JOIN auth_user u ON u.id = m.user_id AND u.is_active
    JOIN auth_app_tenant t ON t.id = m.tenant_id AND t.is_active
    WHERE m.tenant_id = a.tenant_id AND m.user_id = b.user_id AND m.role <> 'viewer'
) LIMIT 500
"""
_OVERDUE = """
SELECT tenant_id, session, client_id FROM sessions_app_activeclient
WHERE lost_at < now() - make_interval(secs => %s) LIMIT 500
"""


async def met(context: Context, client_id: str, channels: Sequence[str]) -> None:
    """A connection has introduced itself as this client, holding these channels: in other sessions it is active no
    longer.
    """
    for session in await _sessions_of((context.log.tenant_id, client_id, context.connection.id)) or ():
        if session not in channels:
            await remove(context.log, session, client_id)


async def departed(context: Context) -> None:
    """A connection is gone; the grace period of its client begins."""
    await _lost(context.connection.id)


async def _take_over(asked: Sequence[Spoken]) -> dict[Spoken, list[str]]:
    """From now on these connections speak for these clients; the sessions that each is active in."""
    tenants, clients, connections = ([key[part] for key in asked] for part in range(3))
    sessions: dict[Spoken, list[str]] = {}
    for *key, session in await fetch_across(_MET, (WORKER_ID, tenants, clients, connections)):
        sessions.setdefault((key[0], key[1], key[2]), []).append(session)
    return sessions


async def _lose(connections: Sequence[str]) -> dict[str, None]:
    await fetch_across(_DEPARTED, (list(connections),))
    return {}


_sessions_of, _lost = Gathered(_take_over), Gathered(_lose)


async def remove(log: TenantLog, session: str, client_id: str) -> None:
    """The client is active in the session no longer."""

    def plan(view: View) -> None:
        if view.exists(session):
            view.act(session, {"type": "session/activeClientRemoved", "clientId": client_id})

    await log.append(plan)


async def sweep() -> None:
    """Remove clients whose grace period or whose right is over; those of dead processes are lost from now on."""
    await fetch_across(_DEAD_WORKERS, (ALIVE_S,))
    overdue = await fetch_across(_OVERDUE, (settings.AHP_CLIENT_GRACE_S,))
    for tenant_id, session, client_id in (*overdue, *await fetch_across(_POWERLESS, ())):
        await remove(await logs.open(tenant_id), session, client_id)
