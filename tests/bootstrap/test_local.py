"""Do commands find the service of this machine, and only while it runs?"""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from ahp_platform import local
from ahp_platform.env import BadEnvironmentError, env_secret

NAMES = (
    "DATABASE_URL",
    "REDIS_URL",
    "AHP_SECRET_KEY",
    "AHP_SECRET_KEY_FILE",
    "AHP_REDIS_PREFIX",
    "AHP_HTTPS",
    "AHP_LOCAL",
)


@pytest.fixture(autouse=True)
def nothing_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in NAMES:
        monkeypatch.setenv(name, "")
    monkeypatch.setattr(local, "_adopted", set())
    monkeypatch.setenv("AHP_DATA_DIR", str(tmp_path))


def test_a_command_uses_the_service_that_runs_here() -> None:
    with local.only_service():
        local.note_service({"DATABASE_URL": "postgresql://here/ahp", "REDIS_URL": "redis://here"})
        local.adopt()
    assert (os.environ["DATABASE_URL"], os.environ["REDIS_URL"]) == ("postgresql://here/ahp", "redis://here")


def test_what_a_dead_service_noted_is_not_believed() -> None:
    local.note_service({"DATABASE_URL": "postgresql://gone/ahp"})
    local.adopt()
    assert not local.is_named("DATABASE_URL")
    assert "not-running" in os.environ["DATABASE_URL"]


def test_what_the_environment_names_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://mine/ahp")
    with local.only_service():
        local.note_service({"DATABASE_URL": "postgresql://here/ahp"})
        local.adopt()
    assert os.environ["DATABASE_URL"] == "postgresql://mine/ahp"


def test_tests_do_not_inherit_what_was_adopted() -> None:
    local.adopt()
    assert set(NAMES) & set(local.given_environment()) == {"AHP_REDIS_PREFIX", "AHP_SECRET_KEY", "AHP_LOCAL"}


def test_the_secret_key_is_made_once_and_read_by_its_owner_alone(tmp_path: Path) -> None:
    local.adopt()
    first = env_secret("AHP_SECRET_KEY")
    local.adopt()
    assert env_secret("AHP_SECRET_KEY") == first
    assert len(first) >= 50
    assert stat.S_IMODE((tmp_path / "secret-key").stat().st_mode) == 0o600


def test_a_container_guesses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AHP_LOCAL", "0")
    local.adopt()
    with pytest.raises(BadEnvironmentError, match="DATABASE_URL"):
        env_secret("DATABASE_URL")


def test_two_services_never_share_a_folder() -> None:
    with local.only_service(), pytest.raises(local.AlreadyRunsError), local.only_service():
        pass
