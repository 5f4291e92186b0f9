"""Which limits do tenants have, and how much of them do they use now?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import BigIntegerField, QuerySet
from django.db.models.expressions import RawSQL
from django.http import HttpRequest
from django.template.defaultfilters import filesizeformat
from unfold.admin import ModelAdmin

from auth_app import message_rates
from auth_app.models import Quota
from auth_app.quotas import BYTES, MESSAGES, NAMES, USED

NO_LIMIT = "no limit"


def _counted(name: str) -> RawSQL:
    """What a tenant uses, as a column beside its limits: one statement for a whole page of tenants."""
    counting = USED[name] % {"tenant": "auth_app_quota.tenant_id", "user": "NULL::int"}
    return RawSQL(f"(SELECT tenants FROM ({counting}) AS counted (tenants, users))", (), BigIntegerField())  # noqa: S608, S611 - a statement of ours


def _used(name: str) -> Callable[[Any], str]:
    @admin.display(description=name.replace("_", " "))
    def used(quota: Any) -> str:
        limit = getattr(quota, name)
        shown = NO_LIMIT if limit is None else _written(name, limit)
        return shown if quota.tenant_id is None else f"{_written(name, getattr(quota, f'now_{name}'))} / {shown}"

    return used


def _written(name: str, amount: int) -> str:
    return filesizeformat(amount) if name == BYTES else str(amount)


@admin.register(Quota)
class QuotaAdmin(ModelAdmin):  # type: ignore[misc]
    """A tenant's own limits, or, without a tenant, those of all others: what is used now, and of how much."""

    list_display = ("__str__", *(f"{name}_used" for name in NAMES))
    list_select_related = ("tenant",)
    search_fields = ("tenant__slug",)
    autocomplete_fields = ("tenant",)
    readonly_fields = tuple(f"{name}_used" for name in NAMES)
    fieldsets: ClassVar = (
        (None, {"fields": ("tenant",)}),
        *(
            (name.replace("_", " ").capitalize(), {"fields": (name, f"{name}_per_user", f"{name}_used")})
            for name in NAMES
        ),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Quota]:
        """The limits with what is used."""
        found: QuerySet[Quota] = super().get_queryset(request)
        return found.annotate(**{f"now_{name}": _counted(name) for name in USED})

    @admin.display(description="messages per second")
    def messages_per_second_used(self, quota: Quota) -> str:
        """Counted for limited tenants alone."""
        shown = NO_LIMIT if quota.messages_per_second is None else str(quota.messages_per_second)
        if quota.tenant_id is None or quota.messages_per_second is None:
            return shown
        return f"{message_rates.in_last_second(quota.tenant_id)} / {shown}"


for _name in USED:
    setattr(QuotaAdmin, f"{_name}_used", staticmethod(_used(_name)))
assert set(NAMES) == {*USED, MESSAGES}
