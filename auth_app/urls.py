"""Which addresses belong to identity? (The login page belongs to the workbench.)

Of django-oauth-toolkit only the protocol's own endpoints are served: its pages where anybody who is logged in may register
applications are not for an organisation's host.
"""

from __future__ import annotations

from django.urls import include, path
from oauth2_provider.urls import base_urlpatterns, metadata_urlpatterns

from auth_app import views

OAUTH = "oauth2_provider"

urlpatterns = [
    path("api/me", views.me, name="me"),
    path("o/", include((metadata_urlpatterns + base_urlpatterns, OAUTH), namespace=OAUTH)),
    # RFC 8414 and RFC 9728 want the documents at the root of the origin.
    path("", include((metadata_urlpatterns, OAUTH), namespace="oauth_metadata")),
]
