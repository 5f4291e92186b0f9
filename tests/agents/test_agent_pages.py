"""What can operators do with agents in the admin site, and what does it keep to itself?"""

from __future__ import annotations

import html
from collections.abc import Mapping
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.test import Client

from ahp_platform.agents.catalogue.rows import Agent
from auth_app.models import AuditEvent, Tenant

PAGE = "/admin/agents/agent/"
SECRET = "sk-very-secret-value-7261"

FORM = {
    "provider": "mine",
    "display_name": "Mine",
    "description": "",
    "enabled": "on",
    "command_line": "my-agent acp --name 'two words'",
    "variables": "A=1\nB=two words",
    "new_secrets": f"KEY={SECRET}",
    "offered_models": '[{"id": "m1", "name": "Model 1"}]',
    "package_kind": "",
    "package": "",
    "package_version": "",
    "everywhere": "on",
    "run_time_s": "60",
    "memory_mb": "0",
    "idle_s": "30",
    "network": "on",
}


@pytest.fixture
def operator(db: None, settings: Any) -> Client:
    settings.AHP_HTTPS = settings.SECURE_SSL_REDIRECT = False
    Tenant.objects.create(slug="demo", name="Demo")
    browser = Client()
    browser.force_login(User.objects.create(username="alice", is_staff=True, is_superuser=True))
    return browser


def written(browser: Client, path: str, form: Mapping[str, Any]) -> Agent:
    answer = browser.post(path, form)
    errors = answer.context["adminform"].form.errors if answer.status_code == 200 else ""
    assert answer.status_code == 302, errors
    return Agent.objects.get(provider="mine")


def added(browser: Client, **more: Any) -> Agent:
    return written(browser, f"{PAGE}add/", {**FORM, **more})


def changed(browser: Client, agent: Agent, **more: Any) -> Agent:
    return written(browser, f"{PAGE}{agent.pk}/change/", {**FORM, "new_secrets": "", **more})


def page_of(browser: Client, agent: Agent) -> str:
    return html.unescape(browser.get(f"{PAGE}{agent.pk}/change/").content.decode())


def refused(browser: Client, **more: Any) -> str:
    answer = browser.post(f"{PAGE}add/", {**FORM, **more})
    assert answer.status_code == 200
    return str(answer.context["adminform"].form.errors)


def test_a_command_is_written_like_in_a_shell_and_shown_back(operator: Client) -> None:
    agent = added(operator)
    assert agent.command == ["my-agent", "acp", "--name", "two words"]
    assert agent.environment == {"A": "1", "B": "two words"}
    assert "my-agent acp --name 'two words'" in page_of(operator, agent)


def test_a_new_agent_is_tried_by_a_worker_and_one_with_a_package_installed_before(operator: Client) -> None:
    assert added(operator).check_state == Agent.Check.WAITING
    agent = changed(operator, Agent.objects.get(), package_kind="npm", package="opencode-ai")
    assert agent.install_state == Agent.Install.WAITING
    Agent.objects.update(install_state="installed", check_state="fine")
    agent = changed(operator, agent, package_kind="npm", package="opencode-ai", description="Better")
    assert (agent.install_state, agent.check_state) == ("installed", "fine")


def test_a_secret_goes_in_and_never_comes_out(operator: Client) -> None:
    agent = added(operator)
    assert agent.secret_environment() == {"KEY": SECRET}
    assert SECRET.encode() not in bytes(agent.secrets)
    shown = page_of(operator, agent)
    assert "KEY" in shown
    assert SECRET not in shown
    assert SECRET not in operator.get(PAGE).content.decode()
    assert SECRET not in operator.get(f"{PAGE}{agent.pk}/history/").content.decode()
    assert SECRET not in str([entry.change_message for entry in LogEntry.objects.all()])
    assert SECRET not in str(list(AuditEvent.objects.values()))


def test_saving_without_secrets_keeps_those_that_are_set(operator: Client) -> None:
    agent = changed(operator, added(operator), new_secrets="OTHER=a second one")
    assert agent.secret_environment() == {"KEY": SECRET, "OTHER": "a second one"}
    assert changed(operator, agent, forget_secrets=["KEY"]).secret_environment() == {"OTHER": "a second one"}


def test_a_mistyped_secret_is_not_repeated(operator: Client) -> None:
    assert SECRET not in refused(operator, new_secrets=SECRET)


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("provider", "demo", "built in"),
        ("provider", "No Slug", "Lower-case"),
        ("command_line", "agent 'unfinished", "quotes"),
        ("command_line", "   ", "required"),
        ("variables", "1A=x", "Not a name"),
        ("variables", "LD_PRELOAD=/tmp/x.so", "may not be set"),
        ("variables", "KEY=both", "Both secret and not"),
        ("offered_models", '[{"id": "m"}]', "an id and a name"),
        ("offered_models", '[{"id": "m", "name": "M"}, {"id": "m", "name": "N"}]', "same id"),
        ("package", "opencode-ai", "npm or pip"),
        ("package_version", "--registry=x", "npm or pip"),
    ],
)
def test_what_makes_no_sense_is_refused(operator: Client, field: str, value: str, said: str) -> None:
    assert said in html.unescape(refused(operator, **{field: value}))
    assert not Agent.objects.exists()


@pytest.mark.parametrize("name", ["--global", "../up", "https://x.example/y.tgz", "git+ssh://x", "a b", "./here"])
@pytest.mark.parametrize("kind", ["npm", "pip"])
def test_a_package_is_a_name_and_nothing_else(operator: Client, kind: str, name: str) -> None:
    assert "Not a name of a package" in refused(operator, package_kind=kind, package=name)


def test_each_change_is_in_the_audit_log_with_the_names_of_what_changed(operator: Client) -> None:
    agent = changed(operator, added(operator), run_time_s="61", new_secrets="X=another secret")
    operator.post(PAGE, {"action": "try_start", "_selected_action": [agent.pk]})
    operator.post(PAGE, {"action": "disable", "_selected_action": [agent.pk]})
    operator.post(PAGE, {"action": "delete_selected", "_selected_action": [agent.pk], "post": "yes"})
    told = AuditEvent.objects.filter(act__startswith="agent.", username="alice").order_by("id")
    assert [(event.act, event.subject) for event in told] == [
        ("agent.added", "mine"),
        ("agent.changed", "mine: run_time_s, secrets"),
        ("agent.check", "mine"),
        ("agent.changed", "mine: enabled"),
        ("agent.removed", "mine"),
    ]


def test_the_list_says_how_each_agent_stands(operator: Client) -> None:
    agent = added(operator, everywhere="", tenants=[Tenant.objects.get(slug="demo").pk], roles=["owner"])
    Agent.objects.update(check_state="failed", check_message="It says no.\nAt length.")
    shown = html.unescape(operator.get(PAGE).content.decode())
    assert "It says no." in shown
    assert "At length." not in shown
    assert "demo: owner" in shown
    assert "does not start" in shown
    assert "At length." in page_of(operator, agent)


def test_who_is_no_operator_sees_no_agents(operator: Client) -> None:
    added(operator)
    browser = Client()
    browser.force_login(User.objects.create(username="bob"))
    assert browser.get(PAGE).status_code == 302
