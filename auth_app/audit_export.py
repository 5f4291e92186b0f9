"""How does the audit log leave the house? As CSV or as JSON lines, row by row, however long it is."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

from auth_app.models import AuditEvent

FIELDS: Final = ("at", "tenant", "user_id", "username", "address", "act", "subject", "outcome")
# Programs that open CSV run what begins like this.
FORMULA = ("=", "+", "-", "@", "\t", "\r")


class _Line:
    """A file that hands back what is written to it."""

    def write(self, text: str) -> str:
        return text


def as_csv(events: Iterable[AuditEvent]) -> Iterator[str]:
    """The rows, under their names."""
    writer = csv.writer(_Line())
    yield writer.writerow(FIELDS)
    for event in events:
        yield writer.writerow([_harmless(value) for value in _row(event).values()])


def as_json_lines(events: Iterable[AuditEvent]) -> Iterator[str]:
    """One object a line."""
    for event in events:
        yield json.dumps(_row(event), ensure_ascii=False) + "\n"


FORMATS: Final = {"csv": as_csv, "jsonl": as_json_lines}


def _row(event: AuditEvent) -> dict[str, Any]:
    row = {name: getattr(event, name) for name in FIELDS if name != "tenant"}
    tenant = event.tenant.slug if event.tenant_id is not None and event.tenant is not None else None
    return {"at": event.at.isoformat(), "tenant": tenant, **{k: v for k, v in row.items() if k != "at"}}


def _harmless(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value
