"""Does a user let an application in, and into which of their tenants? The two pages where they decide."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from django import forms
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from oauth2_provider.exceptions import OAuthToolkitError
from oauth2_provider.forms import AllowForm
from oauth2_provider.models import Application
from oauth2_provider.views import AuthorizationView, DeviceConfirmView
from oauth2_provider.views.device import DeviceConfirmForm
from oauthlib.oauth2.rfc6749.errors import AccessDeniedError, CustomOAuth2Error, OAuth2Error

from ahp_platform.headers import STRICT
from auth_app import resources
from auth_app.models import DeviceTenant, Tenant


def tenants_for(user: Any, application: Application, named: set[str]) -> QuerySet[Tenant]:
    """The tenants that the user may let the application into; `named` are those whose sockets it asks for."""
    found = Tenant.objects.filter(is_active=True, memberships__user=user)
    if hasattr(application, "tenancy"):
        found = found.filter(pk=application.tenancy.tenant_id)
    return found.filter(slug__in=named) if named else found


class TenantChoice(forms.ModelChoiceField):  # type: ignore[type-arg]
    """One of the tenants, by name; the only one is chosen already."""

    def __init__(self) -> None:
        super().__init__(Tenant.objects.none(), to_field_name="slug", empty_label=None)

    def label_from_instance(self, tenant: Tenant) -> str:
        """What people call it."""
        return tenant.name


class ConsentForm(AllowForm):  # type: ignore[misc]
    """What the application asked for, hidden, and the user's decision."""

    tenant = TenantChoice()


class Authorization(AuthorizationView):  # type: ignore[misc]
    """`/o/authorize/`: each authorization is asked for, since it is for one tenant."""

    template_name = "oauth/authorize.html"
    form_class = ConsentForm
    _tenant: Tenant | None = None

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """The consent page. An earlier consent counts for nothing: it may have been for another tenant."""
        query = request.GET.copy()
        query["approval_prompt"] = "force"
        request.GET = query  # type: ignore[assignment]
        page: HttpResponse = super().get(request, *args, **kwargs)
        return page

    def get_form(self, form_class: Any = None) -> Any:
        """The form with the tenants that may be chosen."""
        form = super().get_form(form_class)
        asked = self.request.POST if form.is_bound else self.request.GET
        client_id = asked.get("client_id", "")
        self._application = Application.objects.filter(client_id=client_id).first()
        named = asked.get("resource", "").split() if form.is_bound else asked.getlist("resource")
        choices = tenants_for(self.request.user, self._application, resources.tenants_named(named))
        form.fields["tenant"].queryset = choices
        return form

    def form_valid(self, form: Any) -> HttpResponse:
        """The user has decided."""
        self._tenant = form.cleaned_data["tenant"]
        answer: HttpResponse = super().form_valid(form)
        return answer

    def form_invalid(self, form: Any) -> HttpResponse:
        """Nothing to choose from, or something else chosen: the application learns that it was not let in."""
        query = form.data
        known = self._application is not None and self._application.redirect_uri_allowed(query.get("redirect_uri", ""))
        if not known:
            return self.render_to_response({"error": {"error": "invalid_request"}}, status=400)
        denied = AccessDeniedError(state=query.get("state"))
        answer: HttpResponse = self.error_response(OAuthToolkitError(denied, query["redirect_uri"]), self._application)
        return answer

    def create_authorization_response(self, request: HttpRequest, scopes: Any, credentials: Any, allow: bool) -> Any:
        """Hand the chosen tenant to the validator; an application that asks nobody gets the only one there is."""
        if self._tenant is None:
            self._tenant = self._only_tenant(credentials)
        try:
            return super().create_authorization_response(
                request, scopes, {**credentials, "tenant": self._tenant}, allow
            )
        except OAuth2Error as error:
            error.state = credentials.get("state")
            raise OAuthToolkitError(error, credentials["redirect_uri"]) from None

    def _only_tenant(self, credentials: Any) -> Tenant:
        named = resources.tenants_named(credentials.get("resource", ()))
        choices = list(tenants_for(self.request.user, self._application, named)[:2])
        if len(choices) != 1:
            error = CustomOAuth2Error("interaction_required", state=credentials.get("state"))
            raise OAuthToolkitError(error, credentials["redirect_uri"])
        return choices[0]

    def render_to_response(self, context: Any, **kwargs: Any) -> HttpResponse:
        """Browsers hold the redirect after a form to the page's policy: it names where this one leads."""
        response: HttpResponse = super().render_to_response(context, **kwargs)
        target = urlsplit(str(context.get("redirect_uri", "")))
        if target.scheme:
            origin = f"{target.scheme}://{target.netloc}" if target.scheme in ("http", "https") else f"{target.scheme}:"
            policy = STRICT.replace("form-action 'self'", f"form-action 'self' {origin}")
            response.headers["Content-Security-Policy"] = policy
        response.headers["Cache-Control"] = "no-store"
        return response


class DeviceChoiceForm(DeviceConfirmForm):  # type: ignore[misc]
    """Let the device in, and where."""

    tenant = TenantChoice()


class DeviceConfirm(DeviceConfirmView):  # type: ignore[misc]
    """`/o/device-confirm/…`: what the device asks for, and for which tenant."""

    template_name = "oauth/device_confirm.html"
    form_class = DeviceChoiceForm

    def get_form(self, form_class: Any = None) -> Any:
        """The form with the tenants that may be chosen."""
        form = super().get_form(form_class)
        application = Application.objects.filter(client_id=self.kwargs["client_id"]).first()
        form.fields["tenant"].queryset = tenants_for(self.request.user, application, set())
        form.fields["tenant"].required = form.data.get("action") == "accept"
        return form

    def form_valid(self, form: Any) -> HttpResponse:
        """Note the tenant before the device may have its token."""
        if form.cleaned_data["action"] == "accept":
            DeviceTenant.objects.update_or_create(
                device=self.get_object(), defaults={"tenant": form.cleaned_data["tenant"]}
            )
        self._allowed = form.cleaned_data["action"] == "accept"
        answer: HttpResponse = super().form_valid(form)
        return answer

    def get_success_url(self) -> str:
        """The last page; the device's own row may be used up already when the browser gets there."""
        return reverse("oauth2_provider:device-allowed" if self._allowed else "oauth2_provider:device-denied")
