"""What do Celery workers do for sessions?"""

from __future__ import annotations

from celery import shared_task

from ahp_platform.eventlog import outside
from ahp_platform.eventlog.logs import logs
from sessions_app.consequences import derive
from sessions_app.preparation import clear, prepare

# Longer than any single step of it may take.
PREPARE_S = 600.0


@shared_task(name="sessions.prepare")  # type: ignore[untyped-decorator]
def prepare_session(tenant_id: int, uri: str) -> None:
    """Prepare the workspace of a session."""
    logs.configure(derive)
    outside.run(_prepare(tenant_id, uri), PREPARE_S)


async def _prepare(tenant_id: int, uri: str) -> None:
    await prepare(await logs.open(tenant_id), uri)


@shared_task(name="sessions.clear")  # type: ignore[untyped-decorator]
def clear_session(tenant_id: int, uri: str) -> None:
    """Remove what a disposed session had for itself."""
    logs.configure(derive)
    outside.run(_clear(tenant_id, uri), PREPARE_S)


async def _clear(tenant_id: int, uri: str) -> None:
    await clear(await logs.open(tenant_id), uri)


def ask_to_clear(tenant_id: int, uri: str) -> None:
    """Hand the clearing to a worker; raises where the broker is away (whoever takes the URI next clears first)."""
    clear_session.delay(tenant_id, uri)


def ask_to_prepare(tenant_id: int, uri: str) -> None:
    """Hand the preparation to a worker; raises where the broker is away (a sweep asks again)."""
    prepare_session.delay(tenant_id, uri)
