"""What do Celery workers do for sessions?"""

from __future__ import annotations

import asyncio
from typing import Any

from celery import shared_task

from ahp_platform.eventlog.logs import logs
from sessions_app.consequences import derive
from sessions_app.preparation import prepare


@shared_task(name="sessions.prepare", ignore_result=True)  # type: ignore[untyped-decorator]
def prepare_session(tenant_id: int, uri: str) -> None:
    """Prepare the workspace of a session."""
    asyncio.run(_prepare(tenant_id, uri))


async def _prepare(tenant_id: int, uri: str) -> None:
    logs.configure(derive)
    await logs.start()
    try:
        await prepare(await logs.open(tenant_id), uri)
    finally:
        await logs.stop()


def ask_to_prepare(tenant_id: int, uri: str) -> Any:
    """Hand the preparation to a worker; raises where the broker is away (a sweep asks again)."""
    return prepare_session.delay(tenant_id, uri)
