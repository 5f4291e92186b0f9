"""How does somebody new come into a tenant? By a link that an operator made, which is good once and for a week."""

from __future__ import annotations

import secrets
from datetime import timedelta
from typing import Any

from django.contrib.auth import login
from django.contrib.auth.forms import UserCreationForm
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django.views.generic import View

from auth_app import audit, resources
from auth_app.credentials import checksum
from auth_app.models import Invitation, Membership

LIFETIME = timedelta(days=7)
BACKEND = "django.contrib.auth.backends.ModelBackend"


def link_for(invitation: Invitation, invited_by: Any) -> str:
    """Save the invitation and return its link, this once."""
    secret = secrets.token_urlsafe(32)
    invitation.checksum, invitation.invited_by = checksum(secret), invited_by
    invitation.expires_at = invitation.expires_at or timezone.now() + LIFETIME
    invitation.save()
    audit.record("member.invited", invited_by, invitation.tenant_id, subject=f"as {invitation.role}")
    return f"{resources.here()}/invitation/{secret}"


class NewUserForm(UserCreationForm):  # type: ignore[type-arg]
    """A name and a password, for whoever has no account yet."""


@method_decorator(never_cache, name="dispatch")
class Accept(View):
    """`/invitation/<secret>`: join with the account that is logged in, or make one."""

    def get(self, request: HttpRequest, secret: str) -> HttpResponse:
        """What one is invited to."""
        return self._page(request, _open(secret), NewUserForm())

    def post(self, request: HttpRequest, secret: str) -> HttpResponse:
        """Take the place; it is taken once, whoever asks at the same moment."""
        with transaction.atomic():
            invitation = _open(secret, for_update=True)
            user = request.user
            if not user.is_authenticated:
                form = NewUserForm(request.POST)
                if not form.is_valid():
                    return self._page(request, invitation, form)
                user = form.save()
                login(request, user, BACKEND)
            Membership.objects.get_or_create(tenant=invitation.tenant, user=user, defaults={"role": invitation.role})
            invitation.accepted_by, invitation.accepted_at = user, timezone.now()
            invitation.save()
        return redirect("workbench")

    def _page(self, request: HttpRequest, invitation: Invitation, form: NewUserForm) -> HttpResponse:
        return render(request, "invitation.html", {"invitation": invitation, "form": form})


def _open(secret: str, for_update: bool = False) -> Invitation:
    found = Invitation.objects.select_related("tenant").filter(checksum=checksum(secret), accepted_at=None)
    if for_update:
        found = found.select_for_update(of=("self",))
    invitation = found.filter(expires_at__gt=timezone.now(), tenant__is_active=True).first()
    if invitation is None:
        raise Http404
    return invitation
