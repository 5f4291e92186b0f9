"""How are log lines written? As JSON or for a terminal, and never with a query string, which may carry a token."""

from __future__ import annotations

import logging
import re
from typing import Any

import structlog

QUERY = re.compile(r"(?P<path>/[^\s?\"']*)\?[^\s\"'<>]*")

# Who says less, or passes on what it says.
LOGGERS: dict[str, dict[str, Any]] = {
    "django.server": {"level": "WARNING", "propagate": True, "handlers": []},
    "daphne": {"level": "WARNING"},
    "httpx": {"level": "WARNING"},
    "uvicorn.error": {"filters": ["refused_handshakes"]},
    # It warns of every pipeline that ends with an error, which is how the log learns that another process wrote.
    "psycopg": {"level": "ERROR"},
    "psycopg.pool": {"level": "WARNING"},
}


class QuerylessFormatter(structlog.stdlib.ProcessorFormatter):
    """Renders standard and structlog records alike."""

    def format(self, record: logging.LogRecord) -> str:
        return QUERY.sub(r"\g<path>", super().format(record))


class RefusedHandshakes(logging.Filter):
    """Drops what uvicorn calls an error of the application: that we answered a handshake ourselves, which is how we refuse one."""

    def filter(self, record: logging.LogRecord) -> bool:
        return record.msg != "ASGI callable returned without completing handshake."


def logging_config(level: str, as_json: bool) -> dict[str, Any]:
    """The LOGGING setting: everything to standard error through one handler."""
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    last = structlog.processors.JSONRenderer() if as_json else structlog.dev.ConsoleRenderer(colors=False)
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    render = [structlog.stdlib.ProcessorFormatter.remove_processors_meta, structlog.processors.format_exc_info, last]
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {"refused_handshakes": {"()": RefusedHandshakes}},
        "formatters": {"line": {"()": QuerylessFormatter, "foreign_pre_chain": shared, "processors": render}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": LOGGERS,
    }
