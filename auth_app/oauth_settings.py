"""How is our authorization server set up? The strict side of every choice that RFC 9700 leaves open.

Read by `ahp_platform.settings`, so it imports nothing of Django.
"""

from __future__ import annotations

from typing import Any

SCOPES = {
    "sessions:read": "See sessions, chats, terminals and changes",
    "sessions:write": "Act in sessions: chat, approve, create, dispose",
    "terminals": "Open and use terminals",
    "files": "Read and write files of workspaces",
    "reports": "Read reports over REST",
    "admin": "Administer the tenant",
}

# For programs that only want to know who somebody is (OpenID Connect); they open nothing here.
IDENTITY_SCOPES = {
    "openid": "Know who you are",
    "profile": "Know your name",
    "email": "Know your e-mail address",
}

DEVICE_CODE = "urn:ietf:params:oauth:grant-type:device_code"

OAUTH2_PROVIDER: dict[str, Any] = {
    "OAUTH2_VALIDATOR_CLASS": "auth_app.oauth.validator.Validator",
    "SCOPES": SCOPES | IDENTITY_SCOPES,
    "DEFAULT_SCOPES": ["sessions:read"],
    "ACCESS_TOKEN_EXPIRE_SECONDS": 3600,
    "REFRESH_TOKEN_EXPIRE_SECONDS": 30 * 24 * 3600,
    "ROTATE_REFRESH_TOKEN": True,
    "REFRESH_TOKEN_REUSE_PROTECTION": True,
    # Our validator looks at the device's code itself, once it knows who asks.
    "OAUTH_PRE_TOKEN_VALIDATION": [],
    "PKCE_REQUIRED": True,
    "ALLOW_LOCALHOST_LOOPBACK": True,
    "OAUTH2_GRANT_TYPES_SUPPORTED": [
        "authorization_code",
        "client_credentials",
        "refresh_token",
        DEVICE_CODE,
    ],
    "OAUTH2_RESPONSE_TYPES_SUPPORTED": ["code"],
    "OIDC_RESPONSE_TYPES_SUPPORTED": ["code"],
    "COMPLIANT_BCP_RFC9700_IMPLICIT_GRANT": True,
    "COMPLIANT_BCP_RFC9700_PASSWORD_GRANT": True,
    "COMPLIANT_BCP_RFC9700_PKCE_METHOD": True,
    "COMPLIANT_BCP_RFC9700_ACCESS_TOKEN_TRANSPORT": True,
    "COMPLIANT_BCP_RFC9700_AUTHZ_RESPONSE_ISS": True,
    # Tokens are kept as their SHA-256 alone: a stolen database opens no socket.
    "COMPLIANT_BCP_RFC9700_TOKEN_STORAGE": True,
}


def provider(public_url: str, signing_key: str = "") -> dict[str, Any]:
    """The `OAUTH2_PROVIDER` setting of a host with this address, which is the issuer of its tokens.

    With a key (RSA, as PEM) it also tells other programs who its people are, in tokens that are signed with it.
    """
    issuer = public_url.rstrip("/")
    device = f"{issuer}/o/device/"
    identity = {"OIDC_ENABLED": True, "OIDC_RSA_PRIVATE_KEY": signing_key} if signing_key else {}
    return (
        OAUTH2_PROVIDER
        | identity
        | {
            "OIDC_ISS_ENDPOINT": issuer,
            "OAUTH_DEVICE_VERIFICATION_URI": device,
            "OAUTH_DEVICE_VERIFICATION_URI_COMPLETE": f"{device}?user_code={{user_code}}",
        }
    )
