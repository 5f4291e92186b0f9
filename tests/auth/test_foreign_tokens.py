"""Are the tokens of servers that publish their keys judged by these?"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from jwcrypto.jwk import JWK
from jwcrypto.jwt import JWT

from ahp_platform.protocol.errors import AuthRequired
from auth_app import grants, jwks
from auth_app.bearer import authenticate_socket
from auth_app.lapses import Lapse, Lapses
from auth_app.models import ResourceGrant
from auth_app.principal import Principal

RESOURCE, ISSUER = "https://git.example/api", "https://login.example"
KEY, OTHER_KEY = JWK.generate(kty="EC", crv="P-256", kid="one"), JWK.generate(kty="EC", crv="P-256", kid="two")


class Keys(BaseHTTPRequestHandler):
    """Publishes the first key; counts how often it is asked."""

    asked = 0

    def do_GET(self) -> None:
        type(self).asked += 1
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps({"keys": [KEY.export_public(as_dict=True)]}).encode())

    def log_message(self, *args: object) -> None:
        """Nothing to say."""


@pytest.fixture
def resource() -> Iterator[dict[str, Any]]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Keys)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    uri = f"http://127.0.0.1:{server.server_port}/keys"
    yield {"resource": RESOURCE, "authorization_servers": [ISSUER], "jwks_uri": uri}
    server.shutdown()
    jwks._kept.clear()


@pytest.fixture
async def alice(people: Any, socket: Callable[..., dict[str, Any]]) -> Principal:
    token = await sync_to_async(people.token)("alice")
    return await authenticate_socket(socket(authorization=f"Bearer {token}"))


def signed(key: JWK = KEY, algorithm: str = "ES256", **changed: Any) -> str:
    claims = {"aud": RESOURCE, "iss": ISSUER, "exp": int(time.time()) + 60, **changed}
    token = JWT(header={"alg": algorithm, "kid": key["kid"]}, claims={k: v for k, v in claims.items() if v is not None})
    token.make_signed_token(key)
    return str(token.serialize())


async def held(who: Principal) -> str | None:
    return await grants.token_for(who.tenant_id, who.user_id, RESOURCE)


async def test_a_token_of_that_server_is_kept_until_it_ends(alice: Principal, resource: dict[str, Any]) -> None:
    token = signed(aud=["https://other.example", RESOURCE])
    await grants.accept(alice, resource, token, [])
    assert await held(alice) == token
    row = await ResourceGrant.unscoped.aget()
    assert row.expires_at is not None


@pytest.mark.parametrize(
    "changed",
    [
        {"aud": f"{RESOURCE}/"},
        {"aud": None},
        {"iss": "https://evil.example"},
        {"exp": 1},
        {"exp": None},
        {"key": OTHER_KEY},
    ],
)
async def test_every_other_token_is_refused(
    alice: Principal, resource: dict[str, Any], changed: dict[str, Any]
) -> None:
    with pytest.raises(AuthRequired):
        await grants.accept(alice, resource, signed(**changed), [])
    assert await held(alice) is None


@pytest.mark.parametrize("garbage", ["", "x", "a.b.c", signed()[:-4], signed().rpartition(".")[0] + ".", "é" * 100_000])
async def test_garbage_is_refused(alice: Principal, resource: dict[str, Any], garbage: str) -> None:
    with pytest.raises(AuthRequired):
        await grants.accept(alice, resource, garbage, [])


async def test_the_keys_are_fetched_once(alice: Principal, resource: dict[str, Any]) -> None:
    Keys.asked = 0
    for _ in range(3):
        await grants.accept(alice, resource, signed(), [])
        with pytest.raises(AuthRequired):
            await grants.accept(alice, resource, signed(OTHER_KEY), [])
    assert Keys.asked == 1


async def test_a_server_that_is_away_lets_nothing_in(alice: Principal, resource: dict[str, Any]) -> None:
    for uri in ("http://127.0.0.1:1/keys", "file:///etc/passwd", "http://keys.example"):
        with pytest.raises(AuthRequired):
            await grants.accept(alice, {**resource, "jwks_uri": uri}, signed(), [])


async def test_a_token_that_ends_is_noticed_once_and_only_then(alice: Principal, resource: dict[str, Any]) -> None:
    lapses = Lapses()
    await grants.accept(alice, resource, signed(), [])
    assert await lapses.since_last_time([alice]) == set()
    await ResourceGrant.unscoped.aupdate(expires_at="2020-01-01T00:00:00Z")
    assert await lapses.since_last_time([alice]) == {Lapse(alice.tenant_id, alice.user_id, RESOURCE)}
    assert await lapses.since_last_time([alice]) == set()
