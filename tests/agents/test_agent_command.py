"""What can an operator without a browser do with agents?"""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from ahp_platform.agents.catalogue import words
from ahp_platform.agents.catalogue.rows import Agent
from auth_app.models import AuditEvent, Tenant

pytestmark = pytest.mark.django_db


def run(*arguments: str) -> str:
    said = StringIO()
    waiting = ["--no-wait"] if arguments[0] in ("add", "change") else []
    call_command("agent", *arguments, *waiting, stdout=said)
    return said.getvalue()


def row() -> Agent:
    return Agent.objects.get(provider="mine")


def test_an_agent_is_described_in_one_line() -> None:
    Tenant.objects.create(slug="demo", name="Demo")
    limits = ("--turn", "60", "--memory", "512", "--idle", "30", "--no-network", "--no-home")
    who = ("--tenant", "demo", "--role", "owner", "--role", "member")
    models = ("--models", '[{"id": "m", "name": "M"}]')
    run("add", "mine", "--name", "Mine", "--command", "a 'b c'", "--env", "A=x=y", *limits, *who, *models)
    made = row()
    assert (made.display_name, made.command, made.environment) == ("Mine", ["a", "b c"], {"A": "x=y"})
    assert (made.run_time_s, made.memory_mb, made.idle_s, made.network, made.own_home) == (60, 512, 30, False, False)
    assert (made.everywhere, [each.slug for each in made.tenants.all()], made.roles) == (
        False,
        ["demo"],
        ["member", "owner"],
    )
    assert made.offered_models == [{"id": "m", "name": "M"}]


@pytest.mark.parametrize(
    ("option", "written", "read"),
    [
        ("--npm", "opencode-ai", ("npm", "opencode-ai", "")),
        ("--npm", "@qwen-code/qwen-code", ("npm", "@qwen-code/qwen-code", "")),
        ("--npm", "@qwen-code/qwen-code@0.15.10", ("npm", "@qwen-code/qwen-code", "0.15.10")),
        ("--pip", "some_agent==1.0rc1", ("pip", "some_agent", "1.0rc1")),
    ],
)
def test_a_package_and_its_version_are_told_apart(option: str, written: str, read: tuple[str, ...]) -> None:
    run("add", "mine", "--command", "x", option, written)
    assert (row().package_kind, row().package, row().package_version) == read
    assert (row().install_state, row().check_state) == (Agent.Install.WAITING, Agent.Check.WAITING)


def test_a_change_leaves_what_it_does_not_name() -> None:
    run("add", "mine", "--command", "x", "--env", "A=1", "--env", "B=2", "--role", "owner")
    Agent.objects.update(check_state=Agent.Check.FINE)
    run("change", "mine", "--description", "Better", "--idle", "5")
    assert (row().environment, row().roles, row().check_state) == ({"A": "1", "B": "2"}, ["owner"], Agent.Check.FINE)
    run("change", "mine", "--unset", "A", "--env", "C=3", "--every-role")
    assert (row().environment, row().roles, row().check_state) == ({"B": "2", "C": "3"}, [], Agent.Check.WAITING)
    subjects = AuditEvent.objects.order_by("id").values_list("subject", flat=True)
    assert list(subjects) == ["mine", "mine: description, idle_s", "mine: environment, roles"]


def test_secrets_come_from_where_others_do_not_see_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEY", "of the environment")
    (tmp_path / "other").write_text("of a file\n")
    run("add", "mine", "--command", "x", "--secret", "KEY", "--secret-file", f"OTHER={tmp_path / 'other'}")
    assert row().secret_environment() == {"KEY": "of the environment", "OTHER": "of a file"}
    shown = run("show", "mine")
    assert "secrets: KEY, OTHER" in shown
    assert "of the environment" not in shown
    run("change", "mine", "--unset", "KEY")
    assert row().secret_environment() == {"OTHER": "of a file"}
    with pytest.raises(CommandError, match="not in your environment") as failed:
        run("change", "mine", "--secret", "LEAK=value")
    assert "value" not in str(failed.value).replace("LEAK=value", "")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("add", "mine"), "command: This field cannot be blank"),
        (("add", "demo", "--command", "x"), "built in"),
        (("add", "mine", "--command", "x", "--tenant", "nobody"), "no tenant nobody"),
        (("add", "mine", "--command", "x", "--models", "{"), "no JSON"),
        (("add", "mine", "--command", "x", "--npm", "../here"), "Not a name of a package"),
        (("change", "mine"), "no agent mine"),
        (("install", "mine"), "no agent mine"),
        (("remove", "mine"), "no agent mine"),
    ],
)
def test_what_makes_no_sense_changes_nothing(arguments: tuple[str, ...], said: str) -> None:
    with pytest.raises(CommandError, match=said):
        run(*arguments)
    assert not Agent.objects.exists()


def test_the_list_says_how_each_agent_stands() -> None:
    run("add", "mine", "--command", "x")
    Agent.objects.update(
        check_state=Agent.Check.FAILED, check_message="It says no.\nAt length.", installed_version="1.2"
    )
    assert run("list") == "mine  1.2  does not start  It says no.\n"
    run("disable", "mine")
    assert run("list").startswith("mine  1.2  off")
    run("enable", "mine")
    run("remove", "mine")
    assert run("list") == ""


@pytest.mark.parametrize("argv", [["a"], ["a", "b c", "d'e", '"', "$HOME", "*", ""], ["ä", "\\", "a\nb"]])
def test_a_command_is_read_as_it_is_shown(argv: list[str]) -> None:
    assert words.argv(words.line(argv)) == argv
