"""Which pages does a login with an identity provider have? One that leads there, and one that it leads back to."""

from __future__ import annotations

from django.contrib.auth import login
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from auth_app import audit
from auth_app.sso.client import NotLoggedIn, ProviderClient
from auth_app.sso.models import IdentityProvider
from auth_app.sso.people import person_of

BACKEND = "django.contrib.auth.backends.ModelBackend"


@require_GET
@never_cache
def start(request: HttpRequest, slug: str) -> HttpResponse:
    """`/login/with/<slug>`: off to the provider."""
    provider = _provider(slug)
    try:
        return HttpResponseRedirect(ProviderClient(provider).begin(request, _ours(request, request.GET.get("next"))))
    except NotLoggedIn as reason:
        return _refused(request, provider, reason)


@require_GET
@never_cache
def back(request: HttpRequest, slug: str) -> HttpResponse:
    """`/login/with/<slug>/back`: with the provider's answer."""
    provider = _provider(slug)
    try:
        claims, destination = ProviderClient(provider).finish(request)
        user = person_of(provider, claims)
    except NotLoggedIn as reason:
        return _refused(request, provider, reason)
    login(request, user, BACKEND)
    audit.record("login.provider", user, subject=provider.slug)
    return HttpResponseRedirect(_ours(request, destination))


def _provider(slug: str) -> IdentityProvider:
    found = IdentityProvider.objects.prefetch_related("mappings").filter(slug=slug, is_active=True).first()
    if found is None:
        raise Http404
    return found


def _ours(request: HttpRequest, wanted: str | None) -> str:
    """Where somebody wants to go, if that is a page of ours; else the workbench."""
    safe = url_has_allowed_host_and_scheme(wanted, {request.get_host()}, require_https=request.is_secure())
    return wanted if wanted and safe else reverse("workbench")


def _refused(request: HttpRequest, provider: IdentityProvider, reason: NotLoggedIn) -> HttpResponse:
    audit.record("login.provider", outcome=audit.REFUSED, subject=f"{provider.slug}: {reason.code}")
    context = {"provider": provider, "reason": str(reason)}
    return render(request, "sign_on/refused.html", context, status=reason.status)
