"""Who talks OAuth to us in tests? A real client library (authlib) over HTTP, and a browser where somebody is logged in."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

from authlib.common.security import generate_token
from authlib.integrations.httpx_client import OAuth2Client
from django.test import Client
from oauth2_provider.models import Application

from auth_app.models import ApplicationTenant, Tenant

# Tests talk to themselves without TLS.
os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"

REDIRECT = "https://editor.example/callback"
SECRET = "an application's secret"


def application(grant: str, *, public: bool = True, user: Any = None, tenant: str | None = None) -> Application:
    """A registered application."""
    made = Application.objects.create(
        name="Editor",
        client_type="public" if public else "confidential",
        authorization_grant_type=grant,
        redirect_uris=REDIRECT if grant == "authorization-code" else "",
        client_secret=SECRET,
        user=user,
    )
    if tenant is not None:
        ApplicationTenant.objects.create(application=made, tenant=Tenant.objects.get(slug=tenant))
    return made


def library(app: Application, server: str, **options: Any) -> OAuth2Client:
    """The client library, set up for the application; `server` is where our endpoints are."""
    how: dict[str, Any] = {"token_endpoint_auth_method": "none", "client_id": app.client_id}
    if app.client_type == "confidential":
        how = {"client_id": app.client_id, "client_secret": SECRET}
    redirect = REDIRECT if app.redirect_uris else None
    made = OAuth2Client(**how, redirect_uri=redirect, code_challenge_method="S256", **options)
    made.metadata |= {"token_endpoint": f"{server}/o/token/", "introspection_endpoint": f"{server}/o/introspect/"}
    made.metadata["revocation_endpoint"] = f"{server}/o/revoke_token/"
    return made


@dataclass
class Consent:
    """A consent page that a browser shows."""

    browser: Client
    url: str

    def decide(self, allow: bool = True, **changed: str) -> Any:
        """Send the form as the page has it, with changes."""
        page = self.browser.get(self.url)
        assert page.status_code == 200, page.content
        form = page.context["form"]
        fields = {name: str(value) for name, value in form.initial.items() if value is not None}
        choices = form.fields["tenant"].queryset
        fields |= {"tenant": choices[0].slug} if choices else {}
        return self.browser.post(self.url, {**fields, **({"allow": "true"} if allow else {}), **changed})


def logged_in(user: Any) -> Client:
    """A browser with the user's cookie."""
    browser = Client()
    browser.force_login(user)
    return browser


def authorization(client: OAuth2Client, **asked: Any) -> tuple[str, str]:
    """The path to send a browser to, and the PKCE verifier that belongs to it."""
    verifier = generate_token(48)
    url, _ = client.create_authorization_url("/o/authorize/", code_verifier=verifier, **asked)
    return url, verifier


def told(response: Any) -> dict[str, str]:
    """The parameters of a redirect."""
    assert response.status_code == 302, response.content
    return {name: values[0] for name, values in parse_qs(urlsplit(response["Location"]).query).items()}


def code_token(client: OAuth2Client, browser: Client, server: str, tenant: str = "demo", **asked: Any) -> Any:
    """A token by the authorization code flow."""
    url, verifier = authorization(client, **asked)
    response = Consent(browser, url).decide(tenant=tenant)
    return client.fetch_token(f"{server}/o/token/", authorization_response=response["Location"], code_verifier=verifier)
