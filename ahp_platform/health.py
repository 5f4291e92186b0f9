"""Is this process alive, can it serve, and what has it counted? Plain views for probes; no login, nothing secret."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from psycopg import AsyncConnection
from redis.asyncio import Redis

from ahp_platform.db import connection_params
from ahp_platform.fanout.hub import hub

READY_WITHIN_S = 2.0


async def healthz(request: HttpRequest) -> JsonResponse:
    """Alive: the event loop answers. `pid` tells processes behind one port apart."""
    return JsonResponse({"status": "ok", "pid": os.getpid()})


async def readyz(request: HttpRequest) -> JsonResponse:
    """Ready: the database and Redis answer in time; otherwise 503, naming what is away."""
    checks: dict[str, Callable[[], Awaitable[object]]] = {"database": _ask_database, "redis": _ask_redis}
    reached = await asyncio.gather(*(_answers(check) for check in checks.values()))
    away = [name for name, ok in zip(checks, reached, strict=True) if not ok]
    body = {"status": "unavailable" if away else "ok", "away": away, "pid": os.getpid()}
    return JsonResponse(body, status=503 if away else 200)


async def metrics(request: HttpRequest) -> HttpResponse:
    """The counters of this process, for Prometheus."""
    return HttpResponse(generate_latest(), content_type=CONTENT_TYPE_LATEST)


async def _answers(check: Callable[[], Awaitable[object]]) -> bool:
    try:
        await asyncio.wait_for(check(), READY_WITHIN_S)
    except Exception:  # noqa: BLE001  whatever kept it from answering, it is away
        return False
    return True


async def _ask_database() -> object:
    """On a connection of its own: a pool that is busy does not mean that the database is away."""
    async with await AsyncConnection.connect(**connection_params(), autocommit=True) as connection:
        return await connection.execute("SELECT 1")


async def _ask_redis() -> object:
    if hub.broken_for():
        raise ConnectionError("this process does not hear the others")
    async with Redis.from_url(settings.REDIS_URL, socket_timeout=READY_WITHIN_S) as redis:
        return await redis.ping()
