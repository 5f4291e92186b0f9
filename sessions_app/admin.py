"""Which sessions are there right now, and how does an operator end one or what runs in it?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest

from ahp_platform import acts
from ahp_platform.eventlog import outside
from ahp_platform.looking import OnlyLooking
from ahp_platform.protocol import status
from sessions_app import endings
from sessions_app.models import LiveSession

TIMEOUT_S = 30.0
ACTIVITIES: Final = {
    status.IDLE: "idle",
    status.ERROR: "error",
    status.IN_PROGRESS: "working",
    status.INPUT_NEEDED: "waits for an answer",
}


class RunsFilter(admin.SimpleListFilter):
    """Whether something runs in a session."""

    title = "turns"
    parameter_name = "turns"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """The choices."""
        return [("yes", "Running"), ("no", "None")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[LiveSession]) -> QuerySet[LiveSession]:
        """The sessions that fit."""
        wanted = {"yes": {"running_turns__gt": 0}, "no": {"running_turns": 0}}
        return queryset.filter(**wanted.get(self.value() or "", {}))


@admin.register(LiveSession)
class LiveSessionAdmin(OnlyLooking):
    """The sessions of all tenants, the latest changed first. What a private one is about is not told here."""

    list_display = ("name", "tenant", "owner", "provider", "state", "running_turns", "modified_at")
    list_filter = (RunsFilter, "is_private", "provider", "tenant")
    # Not by title: whether one is found would tell what a private session is about.
    search_fields = ("uri", "owner__username")
    list_select_related = ("tenant", "owner")
    fields = ("name", "uri", "tenant", "owner", "provider", "state", "running_turns", "created_at", "modified_at")
    actions = ("end_turns", "end")

    @admin.display(description="session")
    def name(self, session: LiveSession) -> str:
        """Its title, where everybody in the tenant may know it."""
        return "(private)" if session.is_private else session.title

    @admin.display(description="state", ordering="status")
    def state(self, session: LiveSession) -> str:
        """What it does."""
        flags = [", archived"] if session.status & status.ARCHIVED else []
        return "".join([ACTIVITIES.get(status.activity_of(session.status), "unknown"), *flags])

    @admin.action(description="End the turns that run in the chosen sessions")
    def end_turns(self, request: HttpRequest, sessions: QuerySet[LiveSession]) -> None:
        """As their people would cancel them."""
        found = list(sessions)
        count = outside.run(endings.end_turns([(one.tenant_id, one.uri) for one in found]), TIMEOUT_S)
        _tell("session.turns_ended", request, found)
        messages.success(request, f"{count} turns are ended.")

    @admin.action(description="End the chosen sessions for good")
    def end(self, request: HttpRequest, sessions: QuerySet[LiveSession]) -> None:
        """As their people would dispose of them: with their chats, terminals and own directories."""
        found = list(sessions)
        count = outside.run(endings.end_sessions([(one.tenant_id, one.uri) for one in found]), TIMEOUT_S)
        _tell("session.ended", request, found)
        messages.success(request, f"{count} sessions are ended.")


def _tell(act: str, request: HttpRequest, sessions: Sequence[LiveSession]) -> None:
    for session in sessions:
        acts.tell(acts.Act(act, session.tenant_id, request.user.pk or 0, session.uri))
