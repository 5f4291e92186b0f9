"""Which limits do tenants have, and how much of them do they use now?"""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db import connection
from unfold.admin import ModelAdmin

from auth_app.models import Quota
from auth_app.quotas import NAMES, USED


@admin.register(Quota)
class QuotaAdmin(ModelAdmin):  # type: ignore[misc]
    """A tenant's own limits, or, without a tenant, those of all others; with what is used now."""

    list_display = ("__str__", *(f"{name}_used" for name in NAMES))
    autocomplete_fields = ("tenant",)
    readonly_fields = tuple(f"{name}_used" for name in NAMES)


def _used(name: str) -> Any:
    @admin.display(description=f"{name.replace('_', ' ')}: used now / limit")
    def used(quota: Quota) -> str:
        limit = getattr(quota, name)
        shown = "no limit" if limit is None else str(limit)
        if quota.tenant_id is None:
            return shown
        with connection.cursor() as cursor:
            cursor.execute(USED[name], {"tenant": quota.tenant_id, "user": None})
            (amount, _) = cursor.fetchone()
        return f"{amount} / {shown}"

    return used


for _name in NAMES:
    setattr(QuotaAdmin, f"{_name}_used", staticmethod(_used(_name)))
