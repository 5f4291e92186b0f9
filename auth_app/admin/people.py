"""Who has an account, and where do they belong?"""

from __future__ import annotations

from typing import ClassVar

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import Group, User
from unfold.admin import ModelAdmin, TabularInline
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

from auth_app.models import Membership

admin.site.unregister(User)
# Rights come from roles in tenants; operators of the installation are superusers.
admin.site.unregister(Group)


class PlacesInline(TabularInline):  # type: ignore[misc]
    """A person's memberships, on their page."""

    model = Membership
    autocomplete_fields = ("tenant",)
    extra = 0


@admin.register(User)
class PersonAdmin(UserAdmin, ModelAdmin):  # type: ignore[misc, type-arg]
    """Accounts. One that is not active gets in nowhere, and its open sockets close."""

    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm
    list_display = ("username", "email", "is_active", "is_superuser", "last_login")
    list_filter = ("is_active", "is_superuser", "memberships__tenant")
    filter_horizontal = ()
    inlines = (PlacesInline,)
    fieldsets: ClassVar = (
        (None, {"fields": ("username", "password")}),
        ("Person", {"fields": ("first_name", "last_name", "email")}),
        ("Access", {"fields": ("is_active", "is_staff", "is_superuser", "last_login")}),
    )
    readonly_fields = ("last_login",)
