"""Which applications may ask for tokens, which tokens are out, and how are they revoked?"""

from __future__ import annotations

from typing import ClassVar

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from oauth2_provider.forms import ApplicationForm
from oauth2_provider.models import (
    AccessToken,
    Application,
    DeviceGrant,
    Grant,
    IDToken,
    RefreshToken,
    revoke_access_token,
)
from unfold.admin import ModelAdmin, TabularInline

from ahp_platform.looking import OnlyLooking
from auth_app import audit
from auth_app.models import ApplicationTenant

# The toolkit's own pages would let codes and tokens be written by hand.
for _model in (AccessToken, Application, DeviceGrant, Grant, IDToken, RefreshToken):
    if admin.site.is_registered(_model):
        admin.site.unregister(_model)


class TenancyInline(TabularInline):  # type: ignore[misc]
    """The one tenant that an application is for; a script needs it."""

    model = ApplicationTenant
    autocomplete_fields = ("tenant",)
    extra = 0


@admin.register(Application)
class ApplicationAdmin(ModelAdmin):  # type: ignore[misc]
    """Programs that may ask for tokens. For client credentials: choose the user whom the script acts as, and a tenant."""

    form = ApplicationForm
    list_display = ("name", "client_id", "client_type", "authorization_grant_type", "user")
    list_filter = ("client_type", "authorization_grant_type")
    search_fields = ("name", "client_id")
    autocomplete_fields = ("user",)
    inlines = (TenancyInline,)
    fields: ClassVar = (
        "name", "client_id", "client_secret", "client_type", "authorization_grant_type", "redirect_uris", "user",
        "algorithm",
    )  # fmt: skip


@admin.register(AccessToken)
class AccessTokenAdmin(OnlyLooking):
    """Tokens that are out. Their text is not kept, so it is not here either."""

    list_display = ("user", "application", "tenant", "scope", "expires", "created")
    list_filter = ("application", "binding__tenant")
    search_fields = ("user__username", "application__name")
    list_select_related = ("user", "application", "binding__tenant")
    fields = ("user", "application", "tenant", "scope", "resource", "expires", "created")
    actions = ("revoke",)

    @admin.display(description="tenant")
    def tenant(self, token: AccessToken) -> str:
        """The tenant that it is for."""
        return str(token.binding.tenant) if hasattr(token, "binding") else "any of its user's"

    @admin.action(description="Revoke the chosen tokens")
    def revoke(self, request: HttpRequest, tokens: QuerySet[AccessToken]) -> None:
        """With what refreshes them; sockets that were opened with them close within two seconds."""
        count = 0
        for token in tokens:
            audit.record("token.revoked", request.user, subject=f"token {token.pk} of {token.user}")
            revoke_access_token(token)
            count += 1
        messages.success(request, f"{count} tokens are revoked.")
