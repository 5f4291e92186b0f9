"""Does the README say what is true?"""

from __future__ import annotations

import re

import pytest
from django.conf import settings
from django.core.management import get_commands

from ahp_platform.local import PROJECT
from tests.bootstrap.settings_table import read_by_settings

README = (PROJECT / "README.md").read_text()
ROWS = dict(re.findall(r"^\| `([A-Z_]+)` \| ([^|]+) \|", README, re.MULTILINE))


def test_the_table_names_every_setting_and_no_other() -> None:
    assert set(ROWS) == {name for name in read_by_settings() if not name.endswith("_FILE")}


@pytest.mark.parametrize("name", sorted(name for name, default in ROWS.items() if default.strip().isdigit()))
def test_the_table_gives_the_default_of_each_limit(name: str) -> None:
    if hasattr(settings, name):
        assert int(getattr(settings, name)) == int(ROWS[name])


def test_commands_that_it_names_exist() -> None:
    named = set(re.findall(r"(?:\./ahp|manage\.py) ([a-z_]+)", README)) - {"lock"}
    assert named <= set(get_commands())


def test_its_links_lead_somewhere() -> None:
    links = [link for link in re.findall(r"\]\(([^)]+)\)", README) if "://" not in link]
    assert [link for link in links if not (PROJECT / link).exists()] == []


def test_it_begins_with_the_two_commands_that_matter() -> None:
    first_block = README.split("```sh", 1)[1].split("```", 1)[0]
    assert re.findall(r"^\./ahp (\w+)", first_block, re.MULTILINE) == ["up", "test"]
