"""Who is there in identity's tests? The demo people, their tokens, and sockets as an ASGI server would announce them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User
from django.db import connections
from django.test import Client
from pytest_django import Settings

from ahp_platform.eventlog.pool import close_pool
from auth_app import oauth_settings
from auth_app.demo import seed_demo
from auth_app.models import Membership, Tenant
from auth_app.policy import scopes_of
from auth_app.tokens import issue

HOST = "ahp.example"
ORIGIN = f"https://{HOST}"

Scope = dict[str, Any]


class People:
    """Alice owns the tenant demo, bob is a member and vera a viewer of it; carol owns the tenant other."""

    def tenant(self, slug: str = "demo") -> Tenant:
        return Tenant.objects.get(slug=slug)

    def user(self, name: str = "alice") -> User:
        return User.objects.get(username=name)

    def token(
        self,
        name: str = "alice",
        tenant: str = "demo",
        scopes: Sequence[str] | None = None,
        seconds: float = 60,
        resources: Sequence[str] = (),
    ) -> str:
        membership = Membership.objects.get(tenant__slug=tenant, user__username=name)
        granted = scopes_of(membership.role, None) if scopes is None else scopes
        return issue(membership.tenant, membership.user, granted, timedelta(seconds=seconds), resources)

    def cookie(self, name: str = "alice") -> str:
        """The Cookie header of a browser where that person is logged in."""
        browser = Client()
        browser.force_login(self.user(name))
        return f"sessionid={browser.cookies['sessionid'].value}"


def scope_of(tenant: str = "demo", *, subprotocols: Sequence[str] = (), query: str = "", **headers: str) -> Scope:
    return {
        "type": "websocket",
        "scheme": "wss",
        "headers": [(b"host", HOST.encode()), *((k.encode(), v.encode("latin-1")) for k, v in headers.items())],
        "query_string": query.encode(),
        "subprotocols": list(subprotocols),
        "url_route": {"kwargs": {"tenant": tenant}},
    }


@pytest.fixture
def socket() -> Callable[..., Scope]:
    """Makes the ASGI scope of a socket; keyword arguments are headers."""
    return scope_of


@pytest.fixture(autouse=True)
def installation(settings: Settings) -> None:
    settings.AHP_PUBLIC_URL = ORIGIN
    settings.OAUTH2_PROVIDER = oauth_settings.provider(ORIGIN)
    settings.AHP_HTTPS = True
    settings.ALLOWED_HOSTS = [HOST, "testserver", "localhost"]
    settings.CSRF_TRUSTED_ORIGINS = ["https://trusted.example"]
    settings.AHP_TOKEN_ORIGINS = ["*"]
    settings.SECURE_SSL_REDIRECT = False
    # Good hashes are slow on purpose.
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def seeded(transactional_db: None) -> People:
    seed_demo()
    return People()


@pytest.fixture
async def people(seeded: People) -> AsyncIterator[People]:
    yield seeded
    await close_pool()
    await sync_to_async(connections.close_all)()
