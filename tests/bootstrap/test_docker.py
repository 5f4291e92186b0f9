"""Do the container files name things that exist?"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import get_commands

from ahp_platform.local import PROJECT
from tests.bootstrap.settings_table import read_by_settings

COMPOSE: dict[str, Any] = yaml.safe_load((PROJECT / "docker" / "compose.yaml").read_text())
OURS = ("migrate", "web", "host", "celery")


def pins(path: Path) -> dict[str, str]:
    return dict(re.findall(r"^([\w.-]+)==(\S+)", path.read_text(), re.MULTILINE))


def test_every_kind_of_process_has_a_service() -> None:
    assert set(COMPOSE["services"]) == {"postgres", "valkey", *OURS}


@pytest.mark.parametrize("name", ["migrate", "web", "host"])
def test_a_service_runs_a_command_that_exists(name: str) -> None:
    python, script, command, *_ = COMPOSE["services"][name]["command"]
    assert (python, script) == ("python", "manage.py")
    assert (PROJECT / script).exists()
    assert command in get_commands()


@pytest.mark.parametrize("name", OURS)
def test_a_service_sets_only_what_the_settings_read(name: str) -> None:
    assert set(COMPOSE["services"][name]["environment"]) <= read_by_settings()


@pytest.mark.parametrize("name", OURS)
def test_a_service_gets_its_secrets_as_files_that_are_declared(name: str) -> None:
    service = COMPOSE["services"][name]
    mounted = {f"/run/secrets/{secret}" for secret in service["secrets"]}
    assert set(service["secrets"]) <= set(COMPOSE["secrets"])
    assert {path for key, path in service["environment"].items() if key.endswith("_FILE")} == mounted


def test_nothing_serves_before_the_migration_is_done() -> None:
    for name in ("web", "host", "celery"):
        after = COMPOSE["services"][name]["depends_on"]["migrate"]
        assert after == {"condition": "service_completed_successfully"}


def test_what_others_wait_for_has_a_health_check() -> None:
    assert all("healthcheck" in COMPOSE["services"][name] for name in ("postgres", "valkey", "web"))


def test_the_image_runs_unprivileged_and_copies_what_exists() -> None:
    lines = (PROJECT / "docker" / "Dockerfile").read_text().splitlines()
    assert "USER ahp" in lines
    copied = [line.split()[-2].removeprefix("/srv/ahp/") for line in lines if line.startswith("COPY --from=build /srv")]
    assert [name for name in copied if not (PROJECT / name).exists()] == []


def test_the_image_installs_what_the_project_is_tested_with() -> None:
    image, project = pins(PROJECT / "docker" / "requirements.lock"), pins(PROJECT / "requirements.lock")
    assert image
    assert image.items() <= project.items()
    assert "pytest" not in image
