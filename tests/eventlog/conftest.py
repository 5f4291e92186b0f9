"""What do the event log's tests stand on? A tenant of their own, and logs that stand for processes."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from ahp_platform.eventlog import store
from ahp_platform.eventlog.entry import Entry
from ahp_platform.eventlog.log import TenantLog
from ahp_platform.eventlog.pool import close_pool, fetch
from ahp_platform.eventlog.view import State, View
from auth_app.models import Tenant

NewLog = Callable[..., Any]

TURN = {"type": "chat/turnStarted", "startedAt": "2026-01-01T00:00:00.000Z"}


class Collector:
    """A reader that keeps everything it is given."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []

    def push(self, entries: Sequence[Entry]) -> None:
        self.entries += entries

    @property
    def numbers(self) -> list[int]:
        return [entry.seq for entry in self.entries]


class Processes:
    """Logs of one tenant, each as a process of its own would hold it. `lossy` ones tell the others nothing."""

    def __init__(self, tenant_id: int) -> None:
        self.tenant_id = tenant_id
        self.logs: list[TenantLog] = []

    async def start(self, lossy: bool = False, consequences: Any = lambda *_: None) -> TenantLog:
        def publish(log: TenantLog, entries: Sequence[Entry]) -> None:
            for other in self.logs:
                if other is not log and not lossy:
                    other.receive(entries, entries[-1].seq)

        seq, _ = await store.clock(self.tenant_id)
        log = TenantLog(self.tenant_id, "test", seq, consequences, publish)
        self.logs.append(log)
        return log


@pytest.fixture
async def processes(transactional_db: None) -> AsyncIterator[Processes]:
    tenant = await sync_to_async(Tenant.objects.create)(slug=f"t{uuid.uuid4().hex[:12]}", name="Test")
    clock = "INSERT INTO eventlog_tenantclock VALUES (%s, 0, 0) RETURNING seq"
    await fetch(clock, (tenant.pk,), tenant=tenant.pk)
    held = Processes(tenant.pk)
    yield held
    for log in held.logs:
        await log.drain()
    await close_pool()


async def open_chat(log: TenantLog, uri: str = "ahp-chat:/c", turns: Sequence[Mapping[str, Any]] = ()) -> str:
    state = {
        "resource": uri,
        "title": "Chat",
        "status": 1,
        "modifiedAt": "2026-01-01T00:00:00.000Z",
        "turns": list(turns),
    }
    await log.append(lambda view: view.open(uri, "chat", state))
    return uri


async def start_turn(log: TenantLog, chat: str, turn_id: str = "t1") -> None:
    message = {"text": "go", "origin": {"kind": "user"}}
    part = {"type": "chat/responsePart", "turnId": turn_id, "part": {"kind": "markdown", "id": "p", "content": ""}}
    await log.emit(chat, {**TURN, "turnId": turn_id, "message": message}, part)


def delta(text: str, turn_id: str = "t1") -> dict[str, Any]:
    return {"type": "chat/delta", "turnId": turn_id, "partId": "p", "content": text}


def end(turn_id: str = "t1") -> dict[str, Any]:
    return {"type": "chat/turnComplete", "turnId": turn_id, "duration": 1}


def act(uri: str, action: dict[str, Any]) -> Callable[[View], None]:
    def plan(view: View) -> None:
        view.act(uri, action)

    return plan


def text_of(state: State) -> str:
    turn = state.get("activeTurn") or state["turns"][-1]
    return "".join(part.get("content", "") for part in turn["responseParts"])
