"""Which terminals are there right now, and how does an operator end one?"""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import HttpRequest

from ahp_platform import acts
from ahp_platform.eventlog import outside
from ahp_platform.eventlog.logs import logs
from ahp_platform.looking import OnlyLooking
from terminals_app import terminals
from terminals_app.models import Terminal

TIMEOUT_S = 30.0


@admin.register(Terminal)
class TerminalAdmin(OnlyLooking):
    """The terminals of all tenants. What is typed and shown in them is not told here."""

    list_display = ("uri", "tenant", "holder", "state", "session", "created_at")
    list_filter = ("state", "tenant")
    search_fields = ("uri", "session")
    list_select_related = ("tenant",)
    ordering = ("-created_at",)
    fields = ("uri", "tenant", "holder", "state", "session", "created_at")
    actions = ("end",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Terminal]:
        """With the names of those who opened or hold them."""
        name = User.objects.filter(pk=OuterRef("user_id")).values("username")
        found: QuerySet[Terminal] = super().get_queryset(request).annotate(username=Subquery(name))
        return found

    @admin.display(description="user", ordering="username")
    def holder(self, terminal: Terminal) -> str:
        """Who opened it, or whose client holds it."""
        return getattr(terminal, "username", None) or "–"

    @admin.action(description="End the chosen terminals")
    def end(self, request: HttpRequest, chosen: QuerySet[Terminal]) -> None:
        """With everything that runs in them."""
        found = list(chosen)
        outside.run(_dispose([(one.tenant_id, one.uri) for one in found]), TIMEOUT_S)
        for terminal in found:
            acts.tell(acts.Act("terminal.ended", terminal.tenant_id, request.user.pk or 0, terminal.uri))
        messages.success(request, f"{len(found)} terminals are ended.")


async def _dispose(places: Sequence[tuple[int, str]]) -> None:
    for tenant_id, uri in places:
        log = await logs.open(tenant_id)
        await log.append(lambda view, uri=uri: terminals.dispose(view, uri))  # type: ignore[misc]
