"""Who is there in tests of single sign-on? The demo people, and a provider that has been set up for the staff of Acme."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from auth_app.demo import seed_demo
from auth_app.models import ClaimMapping, IdentityProvider, Tenant
from auth_app.sso.client import BOX
from tests.auth.conftest import People
from tests.auth.sign_on.identity_server import CLIENT, SECRET, IdentityServer


@pytest.fixture
def seeded(db: None) -> People:
    """In one transaction: everything here happens in this process."""
    seed_demo()
    return People()


@pytest.fixture
def server() -> Iterator[IdentityServer]:
    made = IdentityServer()
    yield made
    made.shutdown()
    made.server_close()


@pytest.fixture
def provider(seeded: People, server: IdentityServer) -> IdentityProvider:
    """Staff of Acme are members of the tenant demo, and the boss owns it."""
    made = IdentityProvider.objects.create(
        slug="acme", name="Acme", issuer=server.issuer, client_id=CLIENT, secret=BOX.seal(SECRET), creates_people=True
    )
    demo = Tenant.objects.get(slug="demo")
    ClaimMapping.objects.create(provider=made, claim="groups", value="staff", tenant=demo, role="member")
    ClaimMapping.objects.create(provider=made, claim="acme.boss", value="true", tenant=demo, role="owner")
    return made
