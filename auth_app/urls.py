"""Which addresses belong to identity? (The login page belongs to the workbench.)

The names are those that django-oauth-toolkit looks for. Its pages where anybody who is logged in may register applications
are not for an organisation's host.
"""

from __future__ import annotations

from django.urls import include, path
from django.views.generic import TemplateView
from oauth2_provider.views import ConnectDiscoveryInfoView, JwksInfoView, RevokeTokenView, UserInfoView

from auth_app import invitations, views
from auth_app.oauth import consent, endpoints, metadata
from auth_app.sso import views as sign_on

OAUTH = "oauth2_provider"
WELL_KNOWN = ".well-known/oauth"

oauth = [
    path("o/authorize/", consent.Authorization.as_view(), name="authorize"),
    path("o/token/", endpoints.Token.as_view(), name="token"),
    path("o/revoke_token/", RevokeTokenView.as_view(), name="revoke-token"),
    path("o/introspect/", endpoints.Introspection.as_view(), name="introspect"),
    path("o/device-authorization/", endpoints.DeviceAuthorization.as_view(), name="device-authorization"),
    path("o/device/", endpoints.DeviceUserCode.as_view(), name="device"),
    path("o/device-confirm/<str:client_id>/<slug:user_code>", consent.DeviceConfirm.as_view(), name="device-confirm"),
    path("o/device/allowed", TemplateView.as_view(template_name="oauth/device_allowed.html"), name="device-allowed"),
    path("o/device/denied", TemplateView.as_view(template_name="oauth/device_denied.html"), name="device-denied"),
    # For whoever logs in elsewhere with an account of ours (OpenID Connect).
    path("o/userinfo/", UserInfoView.as_view(), name="user-info"),
    path("o/jwks/", JwksInfoView.as_view(), name="jwks-info"),
    path(".well-known/openid-configuration", ConnectDiscoveryInfoView.as_view(), name="oidc-connect-discovery-info"),
    path(f"{WELL_KNOWN}-authorization-server", metadata.ServerMetadata.as_view(), name="oauth-server-metadata"),
]

urlpatterns = [
    path("api/me", views.me, name="me"),
    path("login/with/<slug:slug>", sign_on.start, name="sign-on"),
    path("login/with/<slug:slug>/back", sign_on.back, name="sign-on-back"),
    path("invitation/<str:secret>", invitations.Accept.as_view(), name="invitation"),
    path("", include((oauth, OAUTH), namespace=OAUTH)),
    path(f"{WELL_KNOWN}-protected-resource", metadata.protected_resource),
    path(f"{WELL_KNOWN}-protected-resource/<path:path>", metadata.protected_resource),
]
