"""What does the service hold while it is measured? Tenants of our own, with sessions and chats made by the domain's plans."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import uvloop
from django.contrib.auth.models import User

from ahp_platform import wiring
from ahp_platform.eventlog.log import TenantLog
from ahp_platform.eventlog.logs import logs
from ahp_platform.eventlog.view import View
from auth_app import models, tokens
from auth_app.oauth_settings import SCOPES
from sessions_app import chats, sessions

STARTED_AT = "2026-01-01T00:00:00.000Z"
TURN_BYTES = 10_000


@dataclass(frozen=True, slots=True)
class Tenant:
    """A tenant, the one user in it, and that user's token."""

    id: int
    slug: str
    user_id: int
    token: str


def tenant() -> Tenant:
    """A new tenant whose owner holds a token for a day."""
    slug = f"bench-{uuid.uuid4().hex[:12]}"
    made = models.Tenant.objects.create(slug=slug, name="Benchmark", settings={"default_visibility": "tenant"})
    user = User.objects.create(username=slug)
    models.Membership.objects.create(tenant=made, user=user, role=models.Role.OWNER)
    return Tenant(made.pk, slug, user.pk, tokens.issue(made, user, SCOPES, timedelta(days=1)))


@asynccontextmanager
async def open_log(of: Tenant) -> AsyncIterator[TenantLog]:
    """The tenant's log in this process, wired and published as in a process of the service."""
    wiring.configure()
    await logs.start()
    try:
        yield await logs.open(of.id)
    finally:
        await logs.stop()


def open_chats(of: Tenant, *uris: str, turns: Sequence[Mapping[str, Any]] = ()) -> None:
    """A session with these chats, which hold these completed turns."""
    config = {"schema": {"type": "object", "properties": {}}, "values": {"visibility": "tenant"}}
    session = sessions.NewSession(f"ahp-session:/{uuid.uuid4()}", of.user_id, "demo", config, [])

    def plan(view: View) -> None:
        sessions.create(view, session)
        sessions.prepared(view, session.uri)
        for uri in uris:
            chat = chats.new_chat(uri, "Benchmark", view.now_ms, {"kind": "user"}, [], turns=turns)
            chats.open_chat(view, session.uri, chat)

    async def appended() -> None:
        async with open_log(of) as log:
            await log.append(plan, user_id=of.user_id)

    uvloop.run(appended())


def completed_turns(total_bytes: int) -> list[dict[str, Any]]:
    """Turns of ten kilobytes of text each, so many that together they hold `total_bytes`."""
    text = "All work and no play makes a dull agent. " * (TURN_BYTES // 41 + 1)
    return [_turn(f"turn-{number}", text[:TURN_BYTES]) for number in range(max(1, total_bytes // TURN_BYTES))]


def _turn(turn_id: str, text: str) -> dict[str, Any]:
    return {
        "id": turn_id,
        "startedAt": STARTED_AT,
        "duration": 1000,
        "message": {"text": "go on", "origin": {"kind": "user"}},
        "responseParts": [{"kind": "markdown", "id": "part", "content": text}],
        "state": "complete",
    }


def start_of_turn(turn_id: str) -> list[dict[str, Any]]:
    """The actions that begin a turn with an empty text."""
    message = {"text": "go on", "origin": {"kind": "user"}}
    return [
        {"type": "chat/turnStarted", "turnId": turn_id, "startedAt": STARTED_AT, "message": message},
        {"type": "chat/responsePart", "turnId": turn_id, "part": {"kind": "markdown", "id": "part", "content": ""}},
    ]


def delta(turn_id: str, size: int) -> dict[str, Any]:
    """A piece of that text."""
    return {"type": "chat/delta", "turnId": turn_id, "partId": "part", "content": "x" * size}
