"""Does an S3 store keep contents as a folder does, and is it told when it cannot be reached? A real server that speaks S3."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from importlib import import_module
from typing import Any

import pytest
import urllib3

from ahp_platform.eventlog.pool import close_pool, fetch_across
from ahp_platform.protocol.errors import InternalError
from ahp_platform.supervise.ports import free_port
from changesets_app import content
from tests.files.test_content import BIG, SMALL, Shelf
from tests.files.test_content import shelf as shelf
from tests.files.test_content import tenant as tenant

BUCKET = "contents"

boto3: Any = import_module("boto3")


class S3:
    """The server, which may be stopped and started again, and a bucket in it."""

    def __init__(self) -> None:
        self.port = free_port("127.0.0.1")
        self.url = f"http://127.0.0.1:{self.port}"
        self._process: subprocess.Popen[bytes] | None = None
        keys = {"aws_access_key_id": "key", "aws_secret_access_key": "secret"}
        self._client: Any = boto3.client("s3", endpoint_url=self.url, region_name="us-east-1", **keys)

    def start(self) -> None:
        """Returns once it answers."""
        command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(self.port)]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with urllib3.PoolManager(retries=urllib3.Retry(total=100, backoff_factor=0.05, backoff_max=0.2)) as pool:
            pool.request("GET", self.url)

    def stop(self) -> None:
        """It forgets everything."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def make_bucket(self) -> None:
        """The one that the settings name."""
        self._client.create_bucket(Bucket=BUCKET)

    def keys(self) -> list[str]:
        """What is in it."""
        return [each["Key"] for each in self._client.list_objects_v2(Bucket=BUCKET).get("Contents", ())]

    def options(self) -> dict[str, str]:
        """As `AHP_CONTENT_STORAGE_OPTIONS` has them."""
        return {"bucket_name": BUCKET, "endpoint_url": self.url, "access_key": "key", "secret_key": "secret"}


@pytest.fixture(scope="module")
def server() -> Iterator[S3]:
    made = S3()
    made.start()
    yield made
    made.stop()


@pytest.fixture
def s3(server: S3, settings: Any) -> S3:
    """The settings name the server."""
    server.make_bucket()
    store = {"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": server.options()}
    settings.STORAGES = {**settings.STORAGES, "content": store}
    return server


async def test_contents_are_kept_read_and_forgotten(s3: S3, shelf: Shelf) -> None:
    before = s3.keys()
    uris = [(await content.store(shelf.log.tenant_id, shelf.session, data, "x/y"))["uri"] for data in (SMALL, BIG, BIG)]
    assert [await shelf.read(uri) for uri in uris] == [SMALL, BIG, BIG]
    assert len(s3.keys()) == len(before) + 1
    assert shelf.files() == []
    await shelf.close()
    await aged()
    await content.forget_unused()
    assert s3.keys() == before


async def test_a_server_that_is_away_is_told_and_nothing_is_lost(s3: S3, shelf: Shelf) -> None:
    uri = (await content.store(shelf.log.tenant_id, shelf.session, BIG, "x/y"))["uri"]
    s3.stop()
    with pytest.raises(InternalError, match="cannot be reached"):
        await shelf.read(uri)
    with pytest.raises(InternalError, match="cannot be reached"):
        await content.store(shelf.log.tenant_id, shelf.session, BIG + b"!", "x/y")
    await shelf.close()
    await aged()
    with pytest.raises(InternalError):
        await content.forget_unused()
    assert await kept(shelf) == [len(BIG)]
    s3.start()
    s3.make_bucket()
    await content.forget_unused()
    assert await kept(shelf) == []


async def test_what_is_stored_while_it_is_being_given_up_is_kept_anew(s3: S3, shelf: Shelf) -> None:
    reference = await content.store(shelf.log.tenant_id, shelf.session, BIG, "x/y")
    await fetch_across("DELETE FROM changesets_app_contentuse WHERE session = %s RETURNING 1", (shelf.session,))
    await fetch_across("UPDATE changesets_app_content SET used_at = 'epoch' RETURNING 1", ())
    assert await content.store(shelf.log.tenant_id, shelf.session, BIG, "x/y") == reference
    await content.forget_unused()
    assert await shelf.read(reference["uri"]) == BIG


async def test_a_bucket_that_is_missing_is_told_like_a_server_that_is_away(
    server: S3, shelf: Shelf, settings: Any
) -> None:
    store = {"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": {**server.options(), "bucket_name": "nobodys"}}
    settings.STORAGES = {**settings.STORAGES, "content": store}
    with pytest.raises(InternalError, match="cannot be reached"):
        await content.store(shelf.log.tenant_id, shelf.session, BIG, "x/y")
    assert await kept(shelf) == []


async def aged() -> None:
    await fetch_across("UPDATE changesets_app_content SET used_at = now() - interval '2 hours' RETURNING 1", ())


async def kept(shelf: Shelf) -> list[int]:
    sizes = "SELECT size FROM changesets_app_content WHERE tenant_id = %s"
    return [size for (size,) in await fetch_across(sizes, (shelf.log.tenant_id,))]


@pytest.fixture(autouse=True)
async def closed() -> AsyncIterator[None]:
    """Nothing of one test's loop is left to the next."""
    yield
    await close_pool()
