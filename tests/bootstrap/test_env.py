"""Do the environment's readers fail loudly?"""

from __future__ import annotations

from pathlib import Path

import pytest

from ahp_platform.db import database_from_url
from ahp_platform.env import BadEnvironmentError, env_bool, env_int, env_secret


@pytest.mark.parametrize(("text", "value"), [("1", True), ("Yes", True), ("off", False), ("0", False), ("", True)])
def test_a_switch_reads_the_usual_words(monkeypatch: pytest.MonkeyPatch, text: str, value: bool) -> None:
    monkeypatch.setenv("AHP_TEST", text)
    assert env_bool("AHP_TEST", True) is value


def test_a_misspelt_switch_is_refused_rather_than_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AHP_TEST", "ture")
    with pytest.raises(BadEnvironmentError, match="AHP_TEST"):
        env_bool("AHP_TEST", False)


@pytest.mark.parametrize("text", ["-1", "1.5", "8 MiB", "١"])
def test_what_is_no_whole_number_is_refused(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("AHP_TEST", text)
    with pytest.raises(BadEnvironmentError, match="AHP_TEST"):
        env_int("AHP_TEST", 1)


def test_a_secret_comes_from_its_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("from-file\n")
    monkeypatch.setenv("AHP_TEST_FILE", str(tmp_path / "secret"))
    assert env_secret("AHP_TEST") == "from-file"


def test_a_secret_named_twice_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("AHP_TEST", "direct")
    monkeypatch.setenv("AHP_TEST_FILE", str(tmp_path / "secret"))
    with pytest.raises(BadEnvironmentError, match="both"):
        env_secret("AHP_TEST")


def test_a_missing_secret_is_named_and_an_unreadable_one_never_shown(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with pytest.raises(BadEnvironmentError, match="AHP_TEST"):
        env_secret("AHP_TEST")
    monkeypatch.setenv("AHP_TEST_FILE", str(tmp_path / "absent"))
    with pytest.raises(BadEnvironmentError, match="AHP_TEST_FILE"):
        env_secret("AHP_TEST")


def test_a_database_url_may_name_a_socket_folder_and_options() -> None:
    entry = database_from_url("postgresql://ann:p%40ss@/work?host=%2Frun%2Fpg&sslmode=require")
    assert (entry["USER"], entry["PASSWORD"], entry["HOST"], entry["NAME"]) == ("ann", "p@ss", "/run/pg", "work")
    assert entry["OPTIONS"]["sslmode"] == "require"


def test_what_is_no_database_url_is_refused_without_showing_it() -> None:
    with pytest.raises(BadEnvironmentError) as refused:
        database_from_url("mysql://ann:secret@db/work?x")
    assert "secret" not in str(refused.value)
