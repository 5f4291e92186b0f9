"""How does a web process serve? uvicorn, with the settings that the benchmarks chose, on the sockets it is told."""

from __future__ import annotations

from collections.abc import Sequence

import uvicorn
from django.conf import settings

from ahp_platform.supervise.ports import listening

# What open connections get to finish in when the process is asked to stop.
SHUTDOWN_S = 10

PING_EVERY_S = 20.0


def serve(host: str, ports: Sequence[int]) -> None:
    """Serve on these ports until told to stop."""
    server = uvicorn.Server(_config())
    server.run(sockets=[listening(host, port) for port in ports])


def _config() -> uvicorn.Config:
    return uvicorn.Config(
        "ahp_platform.asgi:application",
        loop="uvloop",
        http="h11",
        ws="websockets-sansio",
        ws_max_size=settings.AHP_MAX_FRAME_BYTES,
        # Compression costs 40 % of the fan-out; a proxy can do it for those who need it.
        ws_per_message_deflate=False,
        # A peer that is gone without a word, or that reads no more, is found within two of these.
        ws_ping_interval=PING_EVERY_S,
        ws_ping_timeout=PING_EVERY_S,
        lifespan="on",
        proxy_headers=False,
        server_header=False,
        access_log=False,  # its lines would carry query strings, and those tokens
        log_config=None,
        backlog=2048,
        timeout_graceful_shutdown=SHUTDOWN_S,
    )
