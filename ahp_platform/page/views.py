"""Which pages does the workbench consist of? The login, and one page that speaks the protocol over the socket."""

from __future__ import annotations

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
    return render(request, "workbench.html")
