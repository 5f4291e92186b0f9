"""What do tests of files stand on? A tenant's directory with a fence around it, opened by the kernel's way and by ours."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ahp_platform.workspaces import beneath
from ahp_platform.workspaces.fence import Fence


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
