"""How do operators search the audit log and take it along?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, StreamingHttpResponse

from ahp_platform.looking import OnlyLooking
from ahp_platform.tenancy import across_tenants
from auth_app.audit_export import FORMATS
from auth_app.models import AuditEvent

Export = Callable[[Any, HttpRequest, QuerySet[AuditEvent]], StreamingHttpResponse]


def _export(name: str, content_type: str) -> Export:
    @admin.action(description=f"Export as {name.upper()}")
    def export(self: Any, request: HttpRequest, events: QuerySet[AuditEvent]) -> StreamingHttpResponse:
        headers = {"Content-Disposition": f'attachment; filename="audit.{name}"'}
        return StreamingHttpResponse(_lines(name, events), content_type=content_type, headers=headers)

    export.__name__ = f"export_{name}"
    return export


def _lines(name: str, events: QuerySet[AuditEvent]) -> Iterator[str]:
    # Read when the view has long returned, and its scope with it.
    with across_tenants():
        yield from FORMATS[name](events.select_related("tenant").iterator())


@admin.register(AuditEvent)
class AuditEventAdmin(OnlyLooking):
    """Newest first; filtered by tenant, act, outcome and time."""

    list_display = ("at", "tenant", "username", "act", "subject", "outcome", "address")
    list_filter = ("outcome", "act", "tenant", "at")
    search_fields = ("username", "subject", "address")
    date_hierarchy = "at"
    actions = (_export("csv", "text/csv"), _export("jsonl", "application/jsonl"))
