"""Where do a tenant's owners and operators see who asks for files of this machine, and decide? At `/access/`.

Nobody else sees a request, nor that there is one. The page does not say whether the file exists either: looking is for
those who are let in.
"""

from __future__ import annotations

from typing import Any, Final

from django.contrib.auth.mixins import LoginRequiredMixin
from django.db import transaction
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django.views.generic import View

from ahp_platform.tenancy import across_tenants
from changesets_app.grants.deciding import DENY, REVOKE, Decision, decide, opening
from changesets_app.models import FileGrant

DECIDERS: Final = ("owner", "operator")
DECISIONS: Final[dict[str, tuple[str, Decision]]] = {
    "15": ("For 15 minutes", opening(15)),
    "60": ("For an hour", opening(60)),
    "480": ("For 8 hours", opening(480)),
    "deny": ("Deny", DENY),
}


@method_decorator(never_cache, name="dispatch")
class Requests(LoginRequiredMixin, View):
    """The undecided requests in the tenants that the user runs, and what is granted there now."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """Look."""
        with across_tenants():
            shown = _to_decide(request.user).select_related("tenant", "user").order_by("asked_at")
            waiting = list(shown.filter(decided_at=None))
            granted = list(shown.filter(granted_until__gt=timezone.now()))
        buttons = [(key, label) for key, (label, _) in DECISIONS.items()]
        return render(request, "access.html", {"waiting": waiting, "granted": granted, "buttons": buttons})

    def post(self, request: HttpRequest) -> HttpResponse:
        """Decide about one: `grant` is its number, `decision` what becomes of it."""
        key = request.POST.get("decision", "")
        decision = REVOKE if key == "revoke" else DECISIONS.get(key, (None, None))[1]
        number = request.POST.get("grant", "")
        if decision is None or not (number.isascii() and number.isdigit() and len(number) < 19):
            raise Http404
        with across_tenants(), transaction.atomic():
            undecided = Q(granted_until__gt=timezone.now()) if decision is REVOKE else Q(decided_at=None)
            wanted = _to_decide(request.user).filter(undecided, pk=int(number)).select_related("user")
            # Of two who decide at once, the second finds it decided.
            wanted = wanted.select_for_update(of=("self",))
            if not decide(wanted, decision, request.user, request.META.get("REMOTE_ADDR", "")):
                raise Http404
        return redirect("access")


def _to_decide(user: Any) -> QuerySet[FileGrant]:
    tenants = user.memberships.filter(role__in=DECIDERS, tenant__is_active=True).values("tenant_id")
    return FileGrant.unscoped.filter(tenant_id__in=tenants)
