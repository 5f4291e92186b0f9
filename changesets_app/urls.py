"""Which addresses belong to files?"""

from __future__ import annotations

from django.urls import path

from changesets_app.grants.pages import Requests

urlpatterns = [path("access/", Requests.as_view(), name="access")]
