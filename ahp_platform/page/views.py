"""Which pages does the workbench consist of? The login, and one page that speaks the protocol over the socket."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import LoginView, LogoutView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache

login = LoginView.as_view(template_name="login.html", redirect_authenticated_user=True)
logout = LogoutView.as_view(next_page="login")


@never_cache
@login_required
def workbench(request: HttpRequest) -> HttpResponse:
    # Nobody can be let into files of the host where the installation opens none.
    return render(request, "workbench.html", {"asks_for_files": bool(settings.AHP_GRANTABLE_ROOTS)})
