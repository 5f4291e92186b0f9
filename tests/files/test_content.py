"""Are contents kept once, and read by those who may read the session that shows them?"""

from __future__ import annotations

import base64
import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest
from django.conf import settings as django_settings

from ahp_platform.eventlog.log import TenantLog
from ahp_platform.eventlog.models import TenantClock
from ahp_platform.eventlog.pool import close_pool, fetch
from ahp_platform.eventlog.view import View
from ahp_platform.protocol import jsonrpc
from ahp_platform.protocol.errors import ContentNotFound
from ahp_platform.rpc.context import Context
from auth_app import policy
from auth_app.models import Tenant
from auth_app.principal import Principal
from changesets_app import content
from sessions_app.consequences import derive
from tests.conftest import Connect
from tests.interaction.conversation import new_session

SMALL, BIG = b"small", b"big" * 500_000


@dataclass
class Shelf:
    """A tenant's log with the private session `session` of user 1."""

    log: TenantLog
    session: str

    def context(self, user_id: int) -> Context:
        """As a connection of that user."""
        scopes = policy.ROLE_SCOPES["member"]
        who = Principal(self.log.tenant_id, self.log.slug, user_id, "u", "member", scopes, None, "c")
        return Context(connection=None, principal=who, log=self.log)  # type: ignore[arg-type]

    async def read(self, uri: str, user_id: int = 1) -> bytes:
        """`resourceRead`."""
        result = await content.read(self.context(user_id), policy, {"uri": uri, "encoding": "base64"})
        return base64.b64decode(msgspec.json.decode(jsonrpc.utf8(result))["data"])

    async def fetch(self, query: str) -> Any:
        """The rows of a query about the tenant."""
        return await fetch(query, (self.log.tenant_id,), tenant=self.log.tenant_id)

    async def close(self) -> None:
        """Dispose the session."""
        await self.log.append(lambda view: view.close(self.session))

    def files(self) -> list[Path]:
        """What is in the file store."""
        folder = Path(django_settings.AHP_DATA_DIR) / "content" / str(self.log.tenant_id)
        return list(folder.glob("*"))


@pytest.fixture
def tenant(transactional_db: None) -> Tenant:
    made = Tenant.objects.create(slug=f"t{uuid.uuid4().hex[:12]}", name="Test")
    TenantClock.objects.create(tenant=made)
    return made


@pytest.fixture
async def shelf(tenant: Tenant) -> AsyncIterator[Shelf]:
    made = Shelf(TenantLog(tenant.pk, tenant.slug, 0, derive, lambda *_: None), new_session())

    def opened(view: View) -> None:
        state: dict[str, Any] = {"provider": "demo", "title": "S", "status": 1, "lifecycle": "ready", "chats": []}
        view.open(made.session, "session", {**state, "activeClients": []}, readers=[1])

    await made.log.append(opened)
    yield made
    await made.log.drain()
    await close_pool()


@pytest.mark.parametrize("data", [SMALL, BIG], ids=["database", "file store"])
async def test_a_content_is_read_by_who_may_read_its_session(shelf: Shelf, data: bytes) -> None:
    reference = await content.store(shelf.log.tenant_id, shelf.session, data, "text/x-test")
    assert reference.items() >= {"sizeHint": len(data), "contentType": "text/x-test"}.items()
    assert await shelf.read(reference["uri"]) == data
    with pytest.raises(ContentNotFound):
        await shelf.read(reference["uri"], user_id=2)
    with pytest.raises(ContentNotFound):
        await shelf.read(reference["uri"].replace(shelf.session, new_session()))
    assert len(shelf.files()) == (data is BIG)


async def test_the_same_bytes_are_kept_once(shelf: Shelf) -> None:
    for _ in range(2):
        for data in (SMALL, BIG):
            await content.store(shelf.log.tenant_id, shelf.session, data, "text/plain")
    (row,) = await shelf.fetch("SELECT count(*) FROM changesets_app_content WHERE tenant_id = %s")
    assert (row[0], len(shelf.files())) == (2, 1)


async def test_what_no_session_shows_any_more_goes_after_a_while(shelf: Shelf) -> None:
    uris = [
        (await content.store(shelf.log.tenant_id, shelf.session, data, "text/plain"))["uri"] for data in (SMALL, BIG)
    ]
    await content.forget_unused()
    assert [await shelf.read(uri) for uri in uris] == [SMALL, BIG]
    await shelf.close()
    await content.forget_unused()
    assert len(shelf.files()) == 1
    await shelf.fetch(
        "UPDATE changesets_app_content SET used_at = now() - interval '2 hours' WHERE tenant_id = %s RETURNING 1"
    )
    await content.forget_unused()
    assert shelf.files() == []
    assert await shelf.fetch("SELECT FROM changesets_app_content WHERE tenant_id = %s") == []


@pytest.mark.parametrize("uri", ["{s}", "{s}/content/", "{s}/content/" + "0" * 64, "ahp-session:/x/content/y"])
async def test_a_content_that_is_not_there_is_missing(connect: Connect, uri: str) -> None:
    client, session = await connect(), new_session()
    await client.request("createSession", {"channel": session})
    assert (await client.refused("resourceRead", {"uri": uri.format(s=session)})).code == -32006
    assert (await client.refused("resourceDelete", {"uri": uri.format(s=session)})).code == -32009
