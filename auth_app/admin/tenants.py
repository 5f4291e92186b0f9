"""What do operators see of tenants and members?"""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.http import HttpRequest
from unfold.admin import ModelAdmin, TabularInline

from auth_app import invitations
from auth_app.models import ClientBinding, Invitation, Membership, Tenant


class MembershipInline(TabularInline):  # type: ignore[misc]
    """A tenant's members, on its page."""

    model = Membership
    autocomplete_fields = ("user",)
    extra = 0


@admin.register(Tenant)
class TenantAdmin(ModelAdmin):  # type: ignore[misc]
    """Tenants. The slug is in addresses and in stored URIs: it is given once."""

    list_display = ("slug", "name", "is_active", "created_at")
    search_fields = ("slug", "name")
    inlines = (MembershipInline,)

    def get_readonly_fields(self, request: HttpRequest, obj: Tenant | None = None) -> tuple[str, ...]:
        """The slug, once there is one."""
        return ("slug",) if obj else ()


@admin.register(Membership)
class MembershipAdmin(ModelAdmin):  # type: ignore[misc]
    """Who belongs where, and as what."""

    list_display = ("user", "tenant", "role")
    list_filter = ("role", "tenant")
    search_fields = ("user__username", "tenant__slug")
    autocomplete_fields = ("user", "tenant")


@admin.register(Invitation)
class InvitationAdmin(ModelAdmin):  # type: ignore[misc]
    """Links into tenants. A link is shown once, when it is made."""

    list_display = ("tenant", "role", "note", "invited_by", "expires_at", "accepted_by")
    list_filter = ("tenant", "role")
    autocomplete_fields = ("tenant",)
    fields = ("tenant", "role", "note")

    def save_model(self, request: HttpRequest, obj: Invitation, form: Any, change: bool) -> None:
        """Make the link and show it."""
        link = invitations.link_for(obj, request.user)
        messages.success(request, f"Send this link; it is shown this once and is good once: {link}")

    def has_change_permission(self, request: HttpRequest, obj: Invitation | None = None) -> bool:
        """It is out already; deleting it makes the link worthless."""
        return False


@admin.register(ClientBinding)
class ClientBindingAdmin(ModelAdmin):  # type: ignore[misc]
    """Which client ids are whose. To look at, and to release one by deleting it; they are made by connecting."""

    list_display = ("client_id", "user", "tenant", "life", "used_at")
    list_filter = ("tenant",)
    search_fields = ("client_id", "user__username")

    def has_add_permission(self, request: HttpRequest) -> bool:
        """By connecting alone."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: ClientBinding | None = None) -> bool:
        """An id that changed hands would put words into its first user's mouth."""
        return False
