"""What do operators of the installation decide about files? Rules, and what people ask for."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from unfold.admin import ModelAdmin

from ahp_platform.acts import Act, tell
from ahp_platform.looking import OnlyLooking
from ahp_platform.workspaces.granted import grantable
from ahp_platform.workspaces.paths import LeadsOut
from changesets_app.grants.deciding import DENY, REVOKE, Decision, decide, opening
from changesets_app.models import FileGrant, FileRule

OUTSIDE = "Not below a directory of AHP_GRANTABLE_ROOTS."


class FileRuleForm(forms.ModelForm):  # type: ignore[type-arg]
    """A rule names a place that could be granted; it is kept in the one spelling that is compared."""

    path = forms.CharField(
        help_text="A file or directory below one of AHP_GRANTABLE_ROOTS; what is below it is meant too."
    )

    class Meta:
        model = FileRule
        fields = ("tenant", "path", "writes", "role")

    def clean_path(self) -> str:
        """The canonical path."""
        path = str(self.cleaned_data["path"])
        try:
            if not path.startswith("/") or ".." in path.split("/"):
                raise LeadsOut
            return grantable(tuple(path.split("/"))).path()
        except LeadsOut:
            raise forms.ValidationError(OUTSIDE) from None


@admin.register(FileRule)
class FileRuleAdmin(ModelAdmin):  # type: ignore[misc]
    """Places on this machine that people of a tenant reach without asking."""

    form = FileRuleForm
    list_display = ("path", "tenant", "writes", "role")
    list_filter = ("tenant",)
    autocomplete_fields = ("tenant",)

    def save_model(self, request: HttpRequest, obj: FileRule, form: Any, change: bool) -> None:
        """Save it, and say so."""
        super().save_model(request, obj, form, change)
        _tell(request, "file_rule.changed" if change else "file_rule.added", obj)

    def delete_model(self, request: HttpRequest, obj: FileRule) -> None:
        """Delete it, and say so."""
        _tell(request, "file_rule.removed", obj)
        super().delete_model(request, obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[FileRule]) -> None:
        """Delete several."""
        for rule in queryset:
            self.delete_model(request, rule)


def _tell(request: HttpRequest, act: str, rule: FileRule) -> None:
    subject = f"{'write' if rule.writes else 'read'} {rule.path} for {rule.get_role_display()}"
    tell(Act(act, rule.tenant_id, request.user.pk or 0, subject, request.META.get("REMOTE_ADDR", "")))


@admin.register(FileGrant)
class FileGrantAdmin(OnlyLooking):
    """Who has asked for a place on this machine, and what became of it. Owners and operators of a tenant decide at /access/."""

    list_display = ("path", "writes", "user", "tenant", "asked_at", "decided_by", "granted_until")
    list_filter = ("tenant", ("decided_at", admin.EmptyFieldListFilter))
    search_fields = ("path", "user__username")
    list_select_related = ("user", "tenant", "decided_by")
    actions = ("open_for_15_minutes", "open_for_an_hour", "deny", "revoke")

    @admin.action(description="Grant for 15 minutes")
    def open_for_15_minutes(self, request: HttpRequest, wanted: QuerySet[FileGrant]) -> None:
        """Whoever waits is let in at once."""
        self._decide(request, wanted, opening(15))

    @admin.action(description="Grant for an hour")
    def open_for_an_hour(self, request: HttpRequest, wanted: QuerySet[FileGrant]) -> None:
        """As above."""
        self._decide(request, wanted, opening(60))

    @admin.action(description="Deny")
    def deny(self, request: HttpRequest, wanted: QuerySet[FileGrant]) -> None:
        """Not to be asked again for a while."""
        self._decide(request, wanted, DENY)

    @admin.action(description="Revoke")
    def revoke(self, request: HttpRequest, wanted: QuerySet[FileGrant]) -> None:
        """What is open closes at once."""
        self._decide(request, wanted, REVOKE)

    def _decide(self, request: HttpRequest, wanted: QuerySet[FileGrant], decision: Decision) -> None:
        count = decide(wanted, decision, request.user, request.META.get("REMOTE_ADDR", ""))
        messages.success(request, f"{count} requests are decided.")
