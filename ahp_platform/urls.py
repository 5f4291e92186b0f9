"""Which address leads where over HTTP? (Sockets: asgi.py.)"""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path

from ahp_platform import health

urlpatterns = [
    path("healthz", health.healthz),
    path("readyz", health.readyz),
    path("metrics", health.metrics),
    path("admin/", admin.site.urls),
    path("", include("auth_app.urls")),
    path("", include("changesets_app.urls")),
    path("", include("ahp_platform.page.urls")),
]
