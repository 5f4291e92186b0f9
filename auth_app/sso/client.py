"""How do we talk to an identity provider? By the authorization code flow with PKCE, through authlib.

What the provider says of itself (its discovery document) is believed only where it names itself as the operator did, and of the
signatures that it offers only those count that its published keys can check. Source: OpenID Connect Core and Discovery, RFC 9207.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, Final

from authlib.common.errors import AuthlibBaseError
from authlib.integrations.django_client import OAuth
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from joserfc.errors import JoseError
from requests import RequestException

from ahp_platform.secrets_box import SecretsBox
from auth_app.jwks import ALGORITHMS
from auth_app.resources import here
from auth_app.sso.models import IdentityProvider, require_https

logger = logging.getLogger(__name__)
# The library would write verifiers down.
logging.getLogger("authlib").setLevel(logging.INFO)

TIMEOUT_S = 8.0
LEEWAY_S = 30
BOX = SecretsBox("ahp_platform identity providers")
ENDPOINTS: Final = ("authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint")
# What a provider may answer to an authorization request; anything else is not repeated to people.
KNOWN_ERRORS: Final = frozenset(
    {"access_denied", "interaction_required", "login_required", "account_selection_required", "consent_required"}
    | {"invalid_request", "unauthorized_client", "invalid_scope", "server_error", "temporarily_unavailable"}
)
Claims = Mapping[str, Any]


class NotLoggedIn(Exception):
    """The login does not succeed; the text is for whoever tried, `code` for the audit log."""

    def __init__(self, code: str, text: str, status: int = 403) -> None:
        super().__init__(text)
        self.code, self.status = code, status


class ProviderClient:
    """One login's conversation with a provider."""

    def __init__(self, provider: IdentityProvider) -> None:
        self.provider = provider
        self._app = _app(provider)

    def begin(self, request: HttpRequest, destination: str) -> str:
        """Where to send the browser; `destination` is where it goes in the end, and is kept in its session until then."""
        try:
            self._metadata()
            redirect_uri = redirect_uri_of(self.provider)
            started = self._app.create_authorization_url(redirect_uri)
        except (RequestException, AuthlibBaseError, RuntimeError, ValueError) as error:
            raise _unreachable(error) from error
        self._app.save_authorize_data(request, redirect_uri=redirect_uri, destination=destination, **started)
        return str(started["url"])

    def finish(self, request: HttpRequest) -> tuple[Claims, str]:
        """What the provider says of the person, and where the browser goes; raises `NotLoggedIn`."""
        state = request.GET.get("state", "")
        data = self._app.framework.get_state_data(request.session, state)
        if not data:
            raise NotLoggedIn(
                "state", "This login was not begun in this browser, or too long ago. Please try again.", 400
            )
        if "error" in request.GET:
            self._app.framework.clear_state_data(request.session, state)
            raise _told(request.GET["error"])
        try:
            self._require_issuer(request.GET.get("iss"))
            return self._claims(request), str(data.get("destination", "/"))
        except (AuthlibBaseError, JoseError, KeyError, TypeError) as error:
            raise NotLoggedIn(
                "answer", "The identity provider’s answer could not be verified. Please try again."
            ) from error
        except (RequestException, RuntimeError, ValueError) as error:
            raise _unreachable(error) from error

    def _claims(self, request: HttpRequest) -> Claims:
        provider = self.provider
        expected = {
            "iss": {"essential": True, "values": [provider.issuer]},
            "aud": {"essential": True, "value": provider.client_id},
            "exp": {"essential": True},
        }
        token = self._app.authorize_access_token(request, claims_options=expected, leeway=LEEWAY_S)
        claims: dict[str, Any] = dict(token["userinfo"])
        if not isinstance(claims.get("sub"), str) or not 0 < len(claims["sub"]) <= 255:
            raise KeyError("sub")
        if _wanted(provider) <= claims.keys() or "userinfo_endpoint" not in self._metadata():
            return claims
        more = dict(self._app.userinfo(token=token))
        # Anybody's claims could be there; the signed ones say whose they must be.
        return {**more, **claims} if more.get("sub") == claims["sub"] else claims

    def _require_issuer(self, said: str | None) -> None:
        promised = self._metadata().get("authorization_response_iss_parameter_supported")
        if said != self.provider.issuer and (said is not None or promised):
            raise NotLoggedIn("issuer", "The answer comes from another identity provider. Please try again.")

    def _metadata(self) -> dict[str, Any]:
        """The discovery document, with what we do not believe of it left out."""
        found: dict[str, Any] = self._app.load_server_metadata()
        if found.get("issuer") != self.provider.issuer:
            raise ValueError("the provider gives itself another name")
        try:
            for name in ENDPOINTS:
                if name in found or name != "userinfo_endpoint":
                    require_https(found.get(name, ""))
        except ValidationError as error:
            raise ValueError("an endpoint of the provider is not on HTTPS") from error
        offered = found.get("id_token_signing_alg_values_supported", ["RS256"])
        found["id_token_signing_alg_values_supported"] = [name for name in offered if name in ALGORITHMS]
        return found


def redirect_uri_of(provider: IdentityProvider) -> str:
    """Where the provider sends browsers back to; it has to know this address."""
    return f"{here()}/login/with/{provider.slug}/back"


def _app(provider: IdentityProvider) -> Any:
    secret = BOX.open(bytes(provider.secret)) if provider.secret else None
    oauth = OAuth()
    return oauth.register(
        name=provider.slug,
        client_id=provider.client_id,
        client_secret=secret,
        server_metadata_url=f"{provider.issuer.rstrip('/')}/.well-known/openid-configuration",
        client_kwargs={
            "scope": provider.scopes,
            "code_challenge_method": "S256",
            "default_timeout": TIMEOUT_S,
            "token_endpoint_auth_method": "client_secret_basic" if secret else "none",
        },
    )


def _wanted(provider: IdentityProvider) -> set[str]:
    """The claims that a login looks at."""
    mapped = {mapping.claim.split(".")[0] for mapping in provider.mappings.all()}
    email = {provider.email_claim, "email_verified"} if provider.domains else {provider.email_claim}
    return {name for name in {provider.username_claim, *email, *mapped} if name}


def _told(error: str) -> NotLoggedIn:
    if error == "access_denied":
        return NotLoggedIn(error, "The identity provider did not let you in, or you said no there.")
    code = error if error in KNOWN_ERRORS else "unknown_error"
    return NotLoggedIn(code, f"The identity provider could not log you in ({code.replace('_', ' ')}).")


def _unreachable(error: Exception) -> NotLoggedIn:
    # What it is exactly is for operators: it may name hosts of theirs.
    logger.warning("an identity provider cannot be used: %s: %s", type(error).__name__, error)
    return NotLoggedIn("provider", "The identity provider cannot be reached or is not set up rightly.", 502)
