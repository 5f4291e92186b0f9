"""Where are the bytes that a session shows, but that are too big for its state?

Stored once per tenant under their hash: small ones in the database, others in the file store (`STORAGES["content"]`).
Whoever may read a session may read what it shows; to others a content is as missing as one that never was. Source:
PROTOCOL.md section 12, DESIGN.md section 7.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from ahp_platform.eventlog.pool import fetch, fetch_across
from ahp_platform.protocol.errors import ContentNotFound, InternalError, ProtocolError
from ahp_platform.protocol.jsonrpc import Encoded
from ahp_platform.rpc.context import Context
from ahp_platform.rpc.subscriptions import require_readable
from ahp_platform.rpc.table import Params, Policy
from changesets_app import bodies, file_store, space
from changesets_app.bodies import Source
from changesets_app.threads import in_thread

SCHEME = "ahp-session"
IN_DATABASE_BYTES = 1024 * 1024

_BETWEEN = "/content/"
_DIGEST_LENGTH = 64

_STORE = """
WITH stored AS (
    INSERT INTO changesets_app_content AS known (tenant_id, sha256, size, data, location, used_at)
    VALUES (%(tenant)s, %(sha256)s, %(size)s, %(data)s, %(location)s, now())
    ON CONFLICT (tenant_id, sha256) DO UPDATE SET
        location = CASE WHEN known.used_at = 'epoch' THEN EXCLUDED.location ELSE known.location END,
        used_at = CASE WHEN known.used_at = 'epoch' AND EXCLUDED.data IS NULL AND EXCLUDED.location IS NULL
            THEN known.used_at ELSE now() END
    RETURNING location
), shown AS (
    INSERT INTO changesets_app_contentuse (tenant_id, session, sha256, content_type)
    VALUES (%(tenant)s, %(session)s, %(sha256)s, %(type)s)
    ON CONFLICT (tenant_id, session, sha256) DO UPDATE SET content_type = EXCLUDED.content_type
)
SELECT location FROM stored
"""
_KNOWN = "SELECT FROM changesets_app_content WHERE tenant_id = %s AND sha256 = %s AND used_at > 'epoch'"
_OWNER = "SELECT owner_id FROM sessions_app_session WHERE tenant_id = %s AND uri = %s"
_LOAD = """
SELECT data, location, content_type, size FROM changesets_app_content JOIN changesets_app_contentuse USING (tenant_id, sha256)
WHERE tenant_id = %s AND session = %s AND sha256 = %s
"""
_FORGET_USES = """
DELETE FROM changesets_app_contentuse u WHERE NOT EXISTS (
    SELECT FROM eventlog_channel c WHERE c.tenant_id = u.tenant_id AND c.uri = u.session
) RETURNING sha256
"""
# What is in the file store is given up first (1970 says so) and forgotten when it is gone there, however often that takes.
# A store that runs at the same time moves `used_at` first: its row is looked at again and kept.
_GIVE_UP = """
UPDATE changesets_app_content c SET used_at = 'epoch' WHERE used_at < now() - interval '1 hour' AND NOT EXISTS (
    SELECT FROM changesets_app_contentuse u WHERE u.tenant_id = c.tenant_id AND u.sha256 = c.sha256
) RETURNING tenant_id, sha256, location
"""
_FORGET = """
DELETE FROM changesets_app_content
WHERE tenant_id = %s AND sha256 = %s AND used_at = 'epoch' AND location IS NOT DISTINCT FROM %s RETURNING sha256
"""


async def store(tenant_id: int, session: str, data: bytes, content_type: str) -> dict[str, Any]:
    """Keep the bytes for as long as the session is there; the `ContentRef` under which it shows them. Raises where there is
    no room for more of the session's owner, or no way to the file store; then nothing is kept.
    """
    digest = await in_thread(lambda: hashlib.sha256(data).hexdigest())
    small = len(data) <= IN_DATABASE_BYTES
    location = None
    if not await fetch(_KNOWN, (tenant_id, digest), tenant=tenant_id):
        for (owner,) in await fetch(_OWNER, (tenant_id, session), tenant=tenant_id):
            await space.require(tenant_id, owner, len(data))
        location = None if small else await file_store.save(str(tenant_id), digest, data)
    row = {"tenant": tenant_id, "session": session, "sha256": digest, "type": content_type, "size": len(data)}
    row |= {"data": data if small else None, "location": location}
    ((kept,),) = await fetch(_STORE, row, tenant=tenant_id)
    if kept is None and not small:
        # It was known, but has been given up since: what is there is about to go.
        location = await file_store.save(str(tenant_id), digest, data)
        ((kept,),) = await fetch(_STORE, {**row, "location": location}, tenant=tenant_id)
    if location is not None and kept != location:
        with suppress(InternalError):
            await file_store.delete(location)  # another process was faster
    uri = f"{session}{_BETWEEN}{digest}"
    return {"uri": uri, "sizeHint": len(data), "contentType": content_type, "nonce": digest}


async def read(context: Context, policy: Policy, params: Params) -> Encoded:
    """The `ResourceReadResult` of a content."""
    session, found, digest = params["uri"].rpartition(_BETWEEN)
    if not found or len(digest) != _DIGEST_LENGTH:
        raise ContentNotFound("No such content")
    try:
        await require_readable(context, policy, session, "session")
    except ProtocolError:
        raise ContentNotFound("No such content") from None
    tenant_id = context.log.tenant_id
    rows = await fetch(_LOAD, (tenant_id, session, digest), tenant=tenant_id)
    if not rows:
        raise ContentNotFound("No such content")
    data, location, content_type, size = rows[0]
    if data is None and location is None:
        raise ContentNotFound("No such content")  # it is being kept this very moment

    def chunks() -> Iterator[bytes]:
        if location is None:
            yield data
            return
        yield from file_store.chunks(location)

    return await file_store.store_thread(
        lambda: bodies.result(Source(size, chunks), params.get("encoding"), content_type)
    )


async def forget_unused() -> None:
    """Let go of what only sessions showed that are gone."""
    # Sessions of any tenant may be gone.
    await fetch_across(_FORGET_USES, ())
    for tenant_id, digest, location in await fetch_across(_GIVE_UP, ()):
        if location is not None:
            await file_store.delete(location)
        await fetch(_FORGET, (tenant_id, digest, location), tenant=tenant_id)
