"""What may an identity provider answer? A small real one on a port of its own, whose answers a test can bend."""

from __future__ import annotations

import base64
import hashlib
import json
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar
from urllib.parse import parse_qs, urlsplit

from joserfc import jwt
from joserfc.jwk import OctKey, RSAKey

CLIENT, SECRET = "workbench", "the client's own"
Claims = dict[str, Any]


class IdentityServer(ThreadingHTTPServer):
    """`claims` are those of whoever logs in; `bend` may change the token's claims, `sign` how it is signed."""

    key: ClassVar = RSAKey.generate_key(2048, parameters={"kid": "first"})

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.issuer = f"http://127.0.0.1:{self.server_address[1]}"
        self.claims: Claims = {"sub": "17", "preferred_username": "erin", "groups": ["staff"]}
        self.bend: Callable[[Claims], Claims] = dict
        self.sign: Callable[[Claims], str] = self.signed
        self.document: Claims = {}
        self.codes: dict[str, Claims] = {}
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def signed(self, claims: Claims) -> str:
        return jwt.encode({"alg": "RS256", "kid": "first"}, claims, self.key)

    def signed_with_the_public_key(self, claims: Claims) -> str:
        """As if the published key were a shared secret."""
        public = OctKey.import_key(self.key.as_pem(private=False))
        return jwt.encode({"alg": "HS256", "kid": "first"}, claims, public, algorithms=["HS256"])

    def signed_by_a_stranger(self, claims: Claims) -> str:
        return jwt.encode({"alg": "RS256", "kid": "first"}, claims, RSAKey.generate_key(2048))

    def unsigned(self, claims: Claims) -> str:
        parts = ({"alg": "none"}, claims)
        return (
            ".".join(base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts) + "."
        )

    def allow(self, url: str) -> str:
        """The person allows what an authorization request asks for: where the browser is sent."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
        assert (asked["response_type"], asked["code_challenge_method"]) == ("code", "S256")
        code = f"code-{len(self.codes)}"
        self.codes[code] = asked
        return f"{asked['redirect_uri']}?code={code}&state={asked['state']}"

    def token(self, form: Claims) -> tuple[int, Claims]:
        """The answer of the token endpoint; a code is good once, and with its verifier alone."""
        asked = self.codes.pop(form.get("code", ""), None)
        proof = base64.urlsafe_b64encode(hashlib.sha256(form.get("code_verifier", "").encode()).digest()).decode()
        if (
            asked is None
            or asked["code_challenge"] != proof.rstrip("=")
            or asked["redirect_uri"] != form["redirect_uri"]
        ):
            return 400, {"error": "invalid_grant"}
        now = int(time.time())
        names = {"iss": self.issuer, "aud": CLIENT, "iat": now, "exp": now + 60, "nonce": asked["nonce"]}
        token = self.sign(self.bend({**names, **self.claims}))
        return 200, {"access_token": "opaque", "token_type": "Bearer", **({"id_token": token} if token else {})}


class _Handler(BaseHTTPRequestHandler):
    server: IdentityServer

    def do_GET(self) -> None:
        issuer = self.server.issuer
        endpoints = {"authorization_endpoint": "authorize", "token_endpoint": "token", "jwks_uri": "keys"}
        document = {"issuer": issuer, **{name: f"{issuer}/{path}" for name, path in endpoints.items()}}
        offered = {"id_token_signing_alg_values_supported": ["none", "HS256", "RS256"]}
        keys = {"keys": [self.server.key.as_dict(private=False)]}
        known = self.path == "/.well-known/openid-configuration"
        self._answer(200, {**document, **offered, **self.server.document} if known else keys)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        basic = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        if self.headers.get("Authorization") != f"Basic {basic}":
            self._answer(401, {"error": "invalid_client"})
            return
        self._answer(*self.server.token({name: values[0] for name, values in parse_qs(body).items()}))

    def _answer(self, status: int, document: Claims) -> None:
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing."""
