"""What do the tests of turns stand on? A tenant's log on PostgreSQL with the real consequences, and one session with one chat."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any
from uuid import UUID

import pytest

from ahp_platform.agents import claims, registry
from ahp_platform.agents.claims import Claim
from ahp_platform.agents.runner import ports
from ahp_platform.eventlog.log import TenantLog
from ahp_platform.eventlog.models import TenantClock
from ahp_platform.eventlog.pool import close_pool, fetch
from ahp_platform.eventlog.view import View
from ahp_platform.leases.rows import Holder
from auth_app.models import Tenant
from sessions_app.chats import new_chat, open_chat
from sessions_app.consequences import derive
from sessions_app.worker_chats import WorkerChats
from tests.agents.rogues import Rogue

UseAgent = Callable[[Rogue], Rogue]

SESSION, CHAT = "ahp-session:/s", "ahp-chat:/c"


class Bench:
    """A tenant with one chat, and the hosts that claim its turns."""

    def __init__(self, log: TenantLog) -> None:
        self.log = log

    async def start(self, turn_id: str, text: str = "go", **message: Any) -> None:
        """A client's `chat/turnStarted`."""
        said = {"text": text, "origin": {"kind": "user"}, **message}
        started = {"type": "chat/turnStarted", "turnId": turn_id, "startedAt": "2026-01-01T00:00:00.000Z"}
        await self.log.emit(CHAT, {**started, "message": said}, user_id=7)

    async def act(self, type_: str, **values: Any) -> None:
        """An action in the chat."""
        await self.log.emit(CHAT, {"type": type_, **values})

    async def cancel(self, turn_id: str) -> None:
        """A client's `chat/turnCancelled`."""
        await self.act("chat/turnCancelled", turnId=turn_id, duration=1)

    async def claim(self, holder: Holder) -> list[Claim]:
        """What this host gets."""
        return await claims.TURNS.claim(holder, 10)

    async def row(self, turn_id: str) -> Mapping[str, Any]:
        """The turn's row."""
        names = (
            "state",
            "host",
            "fence",
            "user_id",
            "model",
            "input_tokens",
            "output_tokens",
            "duration_ms",
            "error_type",
        )
        query = f"SELECT {', '.join(names)} FROM agents_turn WHERE tenant_id = %s AND turn_id = %s"
        (row,) = await fetch(query, (self.log.tenant_id, turn_id), tenant=self.log.tenant_id)
        return dict(zip(names, row, strict=True))

    async def chat(self) -> Mapping[str, Any]:
        """The chat's state."""
        state: Mapping[str, Any] = await self.log.state(CHAT)
        return state


def holder(lease_s: float = 60) -> Holder:
    """A host of its own."""
    return Holder(UUID(int=uuid.uuid4().int), lease_s)


@pytest.fixture
def tenant(transactional_db: None) -> Tenant:
    made = Tenant.objects.create(slug=f"t{uuid.uuid4().hex[:12]}", name="Test")
    TenantClock.objects.create(tenant=made)
    return made


@pytest.fixture
async def bench(tenant: Tenant) -> AsyncIterator[Bench]:
    log = TenantLog(tenant.pk, tenant.slug, 0, derive, lambda *_: None)
    session = {"provider": "demo", "title": "S", "status": 1, "lifecycle": "ready", "activeClients": [], "chats": []}

    def opened(view: View) -> None:
        view.open(SESSION, "session", session)
        open_chat(view, SESSION, new_chat(CHAT, "Chat", view.now_ms, {"kind": "user"}, []))

    await log.append(opened)
    ports.configure(ports.Ports(WorkerChats()))
    yield Bench(log)
    await log.drain()
    await close_pool()


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch) -> UseAgent:
    """Installs an agent as provider `demo`."""

    def install(rogue: Rogue) -> Rogue:
        monkeypatch.setitem(registry.backends(), "demo", rogue)
        return rogue

    return install
