"""Who did what, when, from where, to what, and did it succeed? The writers of the audit log.

Rows are only ever added: the database refuses everything else (migration `audit_and_quotas`), except to the retention below.
They hold names of things, never contents, tokens or passwords.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Mapping
from typing import Any
from weakref import WeakKeyDictionary

from django.conf import settings

from ahp_platform.eventlog.pool import connection_across, fetch
from ahp_platform.eventlog.view import View
from ahp_platform.protocol.errors import ProtocolError
from ahp_platform.rpc.context import Context, Principal
from ahp_platform.rpc.table import Call, Handler, Intake, Params
from ahp_platform.tenancy import across_tenants
from auth_app import addresses
from auth_app.models import AuditEvent

logger = logging.getLogger(__name__)

DONE, REFUSED = "done", "refused"
AUDITED_METHODS = ("createSession", "disposeSession", "createTerminal", "disposeTerminal", "authenticate")
CONFIRMATIONS = ("chat/toolCallConfirmed", "chat/toolCallResultConfirmed")
# Somebody who tries the same again and again is written down once in a while.
REPEATED_S = 10.0
TRIM_EVERY_S = 3600.0

_INSERT = """
INSERT INTO auth_app_auditevent (at, tenant_id, user_id, username, address, act, subject, outcome)
VALUES (now(), %s, %s, coalesce((SELECT username FROM auth_user WHERE id = %s), ''), %s, %s, %s, %s)
"""
_TRIM = "DELETE FROM auth_app_auditevent WHERE at < now() - make_interval(days => %s)"

_refused_at: dict[tuple[int, int, str], float] = {}
_from_where: WeakKeyDictionary[View, str] = WeakKeyDictionary()
_writing: set[asyncio.Task[None]] = set()


def record(act: str, user: Any = None, tenant_id: int | None = None, **more: str) -> None:
    """Write a row from synchronous code; `more` may say `subject`, `outcome`, `address` and, without a user, `username`."""
    known = user is not None and user.pk is not None
    named = {"username": user.get_username()} if known else {}
    fields = {"outcome": DONE, **named, **more}
    fields["address"] = fields.get("address") or addresses.current()
    fields = {name: text.replace("\x00", "")[:500] for name, text in fields.items()}
    with across_tenants():
        AuditEvent.objects.create(act=act, user_id=user.pk if known else None, tenant_id=tenant_id, **fields)


def audited(method: str, handler: Handler) -> Handler:
    """The handler, with a row for each call that is worth one."""
    return Handler(_audited(method, handler.call), handler.ordered) if method in AUDITED_METHODS else handler


def refused(principal: Principal, act: str) -> None:
    """The policy has said no. May be asked again about the same thing at once, which makes no second row."""
    key, now = (principal.tenant_id, principal.user_id, act), time.monotonic()
    if now - _refused_at.get(key, -REPEATED_S) < REPEATED_S:
        return
    if len(_refused_at) > 10_000:
        _refused_at.clear()
    _refused_at[key] = now
    task = asyncio.get_running_loop().create_task(_write(principal, act, "", REFUSED))
    _writing.add(task)
    task.add_done_callback(_writing.discard)


def of_change(view: View, channel: str, action: Mapping[str, Any]) -> None:
    """Who approved or denied a tool call, in the transaction of the action itself."""
    if action["type"] in CONFIRMATIONS and view.user_id is not None:
        act = f"tool.{'approved' if action.get('approved') else 'denied'}"
        subject = f"{channel} {action['toolCallId']}".replace("\x00", "")[:500]
        address = _from_where.get(view, "")
        view.sql(_INSERT, (view.tenant_id, view.user_id, view.user_id, address, act, subject, DONE))


def from_where(then: Intake | None) -> Intake:
    """An intake that keeps the sender's address at hand for the row that follows from the action."""

    def noted(view: View, channel: str, action: dict[str, Any], context: Context) -> dict[str, Any]:
        _from_where[view] = getattr(context.principal, "address", "")
        return then(view, channel, action, context) if then is not None else action

    return noted


async def trim_forever() -> None:
    """Remove what is older than the audit log's own retention; the only way in which rows leave it."""
    while True:
        try:
            async with connection_across() as connection, connection.transaction():
                await connection.execute("SET LOCAL ahp.audit_retention = 'on'")
                await connection.execute(_TRIM, (settings.AHP_AUDIT_DAYS,))
        except Exception as error:  # noqa: BLE001 - whatever it is, the next round tries again
            logger.warning("the audit log was not trimmed: %s", type(error).__name__)
        await asyncio.sleep(TRIM_EVERY_S)


def _audited(method: str, call: Call) -> Call:
    async def recorded(context: Context, params: Params) -> object:
        subject = str(params.get("resource", params["channel"]))
        try:
            result = await call(context, params)
        except ProtocolError:
            await _write(context.principal, method, subject, REFUSED)
            raise
        await _write(context.principal, method, subject, DONE)
        return result

    return recorded


async def _write(principal: Any, act: str, subject: str, outcome: str) -> None:
    who = principal.tenant_id, principal.user_id, principal.user_id, principal.address
    try:
        row = *who, act, subject.replace("\x00", "")[:500], outcome
        await fetch(f"{_INSERT} RETURNING id", row, tenant=principal.tenant_id)
    except Exception:
        logger.exception("an audit row was not written: %s of user %s", act, principal.user_id)
