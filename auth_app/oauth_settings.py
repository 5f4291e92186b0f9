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

OAUTH2_PROVIDER: dict[str, Any] = {
    "SCOPES": SCOPES,
    "DEFAULT_SCOPES": ["sessions:read"],
    "ACCESS_TOKEN_EXPIRE_SECONDS": 3600,
    "REFRESH_TOKEN_EXPIRE_SECONDS": 30 * 24 * 3600,
    "ROTATE_REFRESH_TOKEN": True,
    "REFRESH_TOKEN_REUSE_PROTECTION": True,
    "PKCE_REQUIRED": True,
    "ALLOW_LOCALHOST_LOOPBACK": True,
    "OAUTH2_GRANT_TYPES_SUPPORTED": [
        "authorization_code",
        "client_credentials",
        "refresh_token",
        "urn:ietf:params:oauth:grant-type:device_code",
    ],
    "OAUTH2_RESPONSE_TYPES_SUPPORTED": ["code"],
    "COMPLIANT_BCP_RFC9700_IMPLICIT_GRANT": True,
    "COMPLIANT_BCP_RFC9700_PASSWORD_GRANT": True,
    "COMPLIANT_BCP_RFC9700_PKCE_METHOD": True,
    "COMPLIANT_BCP_RFC9700_ACCESS_TOKEN_TRANSPORT": True,
    "COMPLIANT_BCP_RFC9700_AUTHZ_RESPONSE_ISS": True,
    # Tokens are kept as their SHA-256 alone: a stolen database opens no socket.
    "COMPLIANT_BCP_RFC9700_TOKEN_STORAGE": True,
}
