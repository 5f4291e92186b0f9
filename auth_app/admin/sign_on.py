"""Which identity providers are believed, what do their claims give, and who is linked to whom?"""

from __future__ import annotations

from typing import Any, ClassVar

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from unfold.admin import ModelAdmin, TabularInline
from unfold.widgets import UnfoldAdminPasswordWidget

from auth_app.models import ClaimMapping, IdentityProvider, LinkedIdentity
from auth_app.sso.client import BOX, redirect_uri_of


class ProviderForm(forms.ModelForm):  # type: ignore[type-arg]
    """The secret goes in and never comes out."""

    new_secret = forms.CharField(
        label="Client secret",
        required=False,
        strip=True,
        widget=UnfoldAdminPasswordWidget(render_value=False),
        help_text="Kept encrypted and not shown again; empty: the one that is there stays.",
    )

    class Meta:
        model = IdentityProvider
        fields: ClassVar = [
            "slug", "name", "is_active", "issuer", "client_id", "scopes", "username_claim", "email_claim",
            "creates_people", "domains",
        ]  # fmt: skip
        help_texts: ClassVar = {
            "slug": "Its name in the redirect URI that the provider has to allow: our address, then /login/with/SLUG/back"
        }

    def save(self, commit: bool = True) -> Any:
        """Seal the secret, if a new one was given."""
        if self.cleaned_data["new_secret"]:
            self.instance.secret = BOX.seal(self.cleaned_data["new_secret"])
        return super().save(commit)


class MappingInline(TabularInline):  # type: ignore[misc]
    """What the provider's claims give."""

    model = ClaimMapping
    autocomplete_fields = ("tenant",)
    extra = 0


@admin.register(IdentityProvider)
class IdentityProviderAdmin(ModelAdmin):  # type: ignore[misc]
    """Providers of single sign-on (OpenID Connect). Tell the provider the redirect URI that is shown here."""

    form = ProviderForm
    list_display = ("name", "slug", "issuer", "is_active", "creates_people")
    list_filter = ("is_active",)
    search_fields = ("name", "slug", "issuer")
    readonly_fields = ("redirect_uri",)
    inlines = (MappingInline,)
    fieldsets: ClassVar = (
        (None, {"fields": ("name", "slug", "is_active", "redirect_uri")}),
        ("The provider", {"fields": ("issuer", "client_id", "new_secret", "scopes")}),
        ("People", {"fields": ("username_claim", "email_claim", "creates_people", "domains")}),
    )

    @admin.display(description="redirect URI")
    def redirect_uri(self, provider: IdentityProvider) -> str:
        """What the provider has to allow."""
        return redirect_uri_of(provider) if provider.slug else "known once it is saved"

    def get_readonly_fields(self, request: HttpRequest, obj: IdentityProvider | None = None) -> tuple[str, ...]:
        """The slug, once there is one: the provider knows it."""
        return ("slug", "redirect_uri") if obj else ("redirect_uri",)


@admin.register(LinkedIdentity)
class LinkedIdentityAdmin(ModelAdmin):  # type: ignore[misc]
    """Who is who at the providers. An account that was here before is linked here, by its subject there."""

    list_display = ("user", "provider", "subject", "linked_at", "last_login_at")
    list_filter = ("provider",)
    search_fields = ("user__username", "subject")
    list_select_related = ("user", "provider")
    autocomplete_fields = ("user",)
    fields = ("provider", "subject", "user")

    def save_model(self, request: HttpRequest, obj: LinkedIdentity, form: Any, change: bool) -> None:
        """The issuer is the provider's."""
        obj.issuer = obj.provider.issuer
        super().save_model(request, obj, form, change)
