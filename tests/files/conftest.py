"""What do tests of files stand on? A tenant's directory with a fence around it, opened by the kernel's way and by ours."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from ahp_platform.workspaces import beneath
from ahp_platform.workspaces.fence import Fence
from tests.client import Client, Message, RpcError
from tests.conftest import Connect


@pytest.fixture(params=["kernel", "steps"])
def fence(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Fence]:
    """A fence around `root`, beside which stands `outside`; every test is run against both ways to open."""
    (tmp_path / "root").mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_text("untouched")
    if request.param == "kernel" and not beneath.KERNEL.can:
        pytest.skip("this kernel has no openat2")
    before, beneath.KERNEL.can = beneath.KERNEL.can, request.param == "kernel"
    yield Fence(tmp_path / "root", tmp_path / "locks")
    beneath.KERNEL.can = before


@pytest.fixture
def root(fence: Fence) -> Path:
    """The tenant's directory."""
    return fence.root


@pytest.fixture
def outside(fence: Fence) -> Path:
    """What must never be touched: it holds `secret` with the text "untouched"."""
    return fence.root.parent / "outside"


class Desk:
    """A client, a folder of its own in the tenant's directory, and the same folder on the disk."""

    def __init__(self, client: Client, uri: str) -> None:
        self.client, self.uri = client, uri
        self.path = Path(unquote(urlsplit(uri).path))

    async def write(self, name: str, data: str, **more: Any) -> None:
        """`resourceWrite` of text."""
        params = {"uri": f"{self.uri}/{name}", "data": data, "encoding": "utf-8", **more}
        assert await self.client.request("resourceWrite", params) == {}

    async def read(self, name: str, **more: Any) -> Message:
        """`resourceRead`."""
        result: Message = await self.client.request("resourceRead", {"uri": f"{self.uri}/{name}", **more})
        return result

    async def call(self, method: str, name: str, **more: Any) -> Any:
        """Any method on one resource."""
        return await self.client.request(method, {"uri": f"{self.uri}/{name}".rstrip("/"), **more})

    async def refused(self, method: str, name: str, **more: Any) -> RpcError:
        """Any method on one resource, which must fail."""
        return await self.client.refused(method, {"uri": f"{self.uri}/{name}", **more})


@pytest.fixture
async def desk(connect: Connect) -> Desk:
    """Alice's."""
    client = await connect(initialize=False)
    hello = await client.initialize()
    uri = f"{hello['defaultDirectory']}/test-{uuid.uuid4().hex[:12]}"
    await client.request("resourceMkdir", {"uri": uri})
    return Desk(client, uri)
