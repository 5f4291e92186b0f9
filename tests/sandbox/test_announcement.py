"""Do operators hear at the start what their machine cannot do?"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import pytest

from ahp_platform import sandbox
from ahp_platform.sandbox import groups, kinds, network


@pytest.fixture
def nothing_works(settings: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """No bubblewrap, no pasta, no control groups."""
    caplog.set_level(logging.INFO, "ahp_platform.sandbox")
    settings.AHP_CGROUP = "off"
    groups.places.cache_clear()
    monkeypatch.setattr(kinds, "works", lambda: False)
    monkeypatch.setattr(network, "works", lambda: False)
    yield
    groups.places.cache_clear()


@pytest.mark.usefixtures("nothing_works")
def test_a_machine_without_bubblewrap_runs_nothing(settings: Any, caplog: pytest.LogCaptureFixture) -> None:
    settings.AHP_SANDBOX = "bubblewrap"
    sandbox.announce()
    (said,) = caplog.records
    assert (said.levelname, "no working bubblewrap" in said.getMessage()) == ("WARNING", True)


@pytest.mark.usefixtures("nothing_works")
def test_without_a_fence_it_is_said_that_there_is_none(settings: Any, caplog: pytest.LogCaptureFixture) -> None:
    settings.AHP_SANDBOX = "auto"
    sandbox.announce()
    assert "without a sandbox" in caplog.text
    assert "loopback" in caplog.text


@pytest.mark.usefixtures("nothing_works")
def test_what_is_not_limited_is_said(
    settings: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    settings.AHP_SANDBOX = "bubblewrap"
    monkeypatch.setattr(kinds, "works", lambda: True)
    sandbox.announce()
    assert [record.levelname for record in caplog.records] == ["WARNING", "WARNING"]
    assert "pasta" in caplog.text
    assert "control groups" in caplog.text
